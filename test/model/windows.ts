import { cloudbaseInit } from "./cloudbase-init.ts";
import { bootKubelet } from "./kubelet.ts";
import type { Script } from "./activity.ts";
import type { Machine, SystemModel } from "./machine.ts";
import { cloudbaseLogPath, cloudbasePluginsKey, cloudbaseStamp, instanceIdOf } from "./cloudbase-log.ts";
import { sentinelPath } from "./user-data.ts";

const versionKey = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

/** Windows on Azure: services that start one after the other, and cloudbase-init among them. */
export const windows: SystemModel = {
  boot(machine: Machine): void {
    machine.tell(`${machine.hostName} boots${machine.boots > 1 ? " again" : ""}`);
    setTimeZone(machine, machine.zoneMinutes);
    machine.write("C:\\Windows\\bootstat.dat", "");
    if (machine.generalized) {
      machine.generalized = false;
      machine.registry.set(versionKey, new Map([["InstallDate", String(Math.round(machine.wallMs / 1_000))]]));
      machine.tell("Windows is set up");
    }
    const service = machine.services.get("cloudbase-init");
    bootKubelet(machine);
    if (service?.kind !== "service" || service.start !== "automatic") return;
    machine.services.set("cloudbase-init", { kind: "service", state: "stopped", start: "automatic", exitCode: 0 });
    const done = machine.registry.get(cloudbasePluginsKey(machine))?.get("UserDataPlugin") === "1";
    machine.start("cloudbase-init", !done, (self): Script => cloudbaseInit(machine, self));
  },
};

export function setTimeZone(machine: Machine, minutes: number): void {
  if (machine.system === "windows" && minutes !== machine.zoneMinutes) machine.blurred.add("the time zone was changed");
  machine.zoneMinutes = minutes;
  if (machine.system === "linux") return;
  const bias = (4_294_967_296 - machine.zoneMinutes) % 4_294_967_296;
  const key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation";
  machine.registry.set(key, new Map([["ActiveTimeBias", String(bias)]]));
}

/** Lays out the image before its first boot. */
export function layOutWindowsImage(machine: Machine): void {
  const built = machine.trueMs - 20 * 86_400_000;
  const put = (path: string, text = ""): void => {
    machine.files.write(path, text, built);
  };
  put("C:\\k\\kubelet.exe");
  put("C:\\k\\kubeadm.exe");
  put("C:\\k\\StartKubelet.ps1");
  machine.generalized = true;
  machine.registry.set(versionKey, new Map([["InstallDate", String(Math.round(built / 1_000))]]));
  machine.registry.set("HKLM\\SYSTEM\\Setup\\Status\\SysprepStatus", new Map([["GeneralizationState", "7"]]));
  if (machine.image.cloudInit === "absent") return;
  const start = machine.image.cloudInit === "disabled" ? "disabled" : "automatic";
  machine.services.set("cloudbase-init", { kind: "service", state: "stopped", start, exitCode: 0 });
  put(
    "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\conf\\cloudbase-init.conf",
    "[DEFAULT]\nlogdir=C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\log\\\nlogfile=cloudbase-init.log\ndebug=true\n",
  );
  if (machine.image.sentinel) put(sentinelPath(machine), "success \r\n");
  if (machine.image.leftovers.includes("kubeadm"))
    put("C:\\var\\lib\\kubelet\\kubeadm-flags.env", 'KUBELET_KUBEADM_ARGS=""\n');
  if (machine.image.builderTraces) putBuilderTraces(machine, built);
}

/** The machine on which the image was built ran cloudbase-init too, with errors of its own. */
function putBuilderTraces(machine: Machine, built: number): void {
  const stamp = (secondsLater: number): string => cloudbaseStamp(built + secondsLater * 1_000, 0);
  const id = "b0b0b0b0-1111-2222-3333-444444444444._builder";
  const lines = [
    `${stamp(0)} 1840 INFO cloudbaseinit.init [-] Cloudbase-Init version: 1.1.6`,
    `${stamp(2)} 1840 DEBUG cloudbaseinit.init [-] Instance id: ${id} configure_host`,
    `${stamp(3)} 1840 INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'`,
    `${stamp(9)} 1840 ERROR cloudbaseinit.init [-] plugin 'UserDataPlugin' failed with error 'timed out'`,
    `${stamp(9)} 1840 INFO cloudbaseinit.init [-] Plugins execution done`,
  ];
  machine.files.write(cloudbaseLogPath, `${lines.join("\r\n")}\r\n`, built);
  machine.registry.set(
    `HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\${id}\\Plugins`,
    new Map([["MTUPlugin", "1"]]),
  );
  if (instanceIdOf(machine) === id) throw new Error("the builder and the machine have one id");
}
