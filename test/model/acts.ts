import { cloudbaseLogPath } from "./cloudbase-log.ts";
import type { Script } from "./activity.ts";
import { startStoppedService, stopService } from "./distributions.ts";
import type { Entry } from "./files.ts";
import type { AdminAct, Command } from "./history.ts";
import { joinByHand } from "./kubeadm.ts";
import {
  finishBootstrapAlone,
  kubeletCertificate,
  kubeletPath,
  mayAskForCertificate,
  pathOn,
  startKubelet,
} from "./kubelet.ts";
import { Machine } from "./machine.ts";
import { exitedUnit, failedUnit } from "./unit-states.ts";
import { sentinelPath } from "./user-data.ts";
import { scheduleRestart } from "./user-script.ts";
import { scriptUnit } from "./cloud-init.ts";

/** A new virtual machine from the disk of this one. */
export function cloneOf(donor: Machine, clone: Extract<Command, { readonly do: "clone" }>): Machine {
  const { system, systemModel, image } = donor;
  const machine = new Machine({
    system,
    systemModel,
    image,
    life: clone.life,
    seed: Math.floor(donor.random() * 4_294_967_296),
  });
  machine.files = donor.files.copy();
  machine.registry = new Map([...donor.registry].map(([key, values]) => [key, new Map(values)]));
  machine.services = new Map(donor.services);
  machine.membership = donor.membership;
  machine.blurred = new Set(donor.blurred);
  if (clone.life.provider !== donor.life.provider) machine.blurred.add("the disk is of another provider");
  machine.clockErrorMs = donor.clockErrorMs;
  machine.joinedAlone = donor.joinedAlone;
  machine.clockWasWrong = donor.clockWasWrong;
  machine.zoneMinutes = donor.zoneMinutes;
  machine.hostName = clone.hostName === "same" ? donor.hostName : machine.hostName;
  machine.trueMs = donor.trueMs + clone.offMs;
  machine.firstBootMs = machine.trueMs;
  for (const folder of ["/proc", "/sys", ...(image.runIsMemory ? ["/run"] : [])])
    if (system === "linux") machine.files.remove(folder);
  prepare(machine, clone.prepared);
  machine.tell(
    `a new virtual machine is made from the disk (${clone.hostName} host name, ${clone.prepared === "not" ? "not prepared" : clone.prepared})`,
  );
  return machine;
}

function prepare(machine: Machine, prepared: Extract<Command, { readonly do: "clone" }>["prepared"]): void {
  if (machine.system === "windows") {
    machine.generalized = prepared === "deprovisioned" || prepared === "cleaned";
    if (prepared === "cleaned") machine.files.remove(sentinelPath(machine));
    return;
  }
  if (prepared === "prototype" || prepared === "cleaned") {
    for (const path of ["/var/lib/cloud/data", "/var/lib/cloud/instances", "/var/lib/cloud/instance"])
      machine.files.remove(path);
  }
  // Ignition runs at a first boot only; a disk that was merely copied has had its own.
  if (prepared === "cleaned" || prepared === "deprovisioned") machine.files.remove("/etc/.ignition-result.json");
  if (prepared === "cleaned") {
    for (const path of [
      "/var/log/cloud-init-output.log",
      "/var/log/cloud-init.log",
      "/etc/cluster-api/bootstrap-success.complete",
    ])
      machine.files.remove(path);
  }
}

const ownBootstrap = "kubelet's own bootstrap";

/** What administrators do on machines; each act is one that was seen somewhere. */
const acts: Readonly<Record<AdminAct, (machine: Machine) => void>> = {
  "disable-cloud-init": (machine) => {
    if (machine.system === "linux") machine.write("/etc/cloud/cloud-init.disabled", "");
  },
  "touch-sentinel": (machine) => {
    machine.write(sentinelPath(machine), "success\n");
    machine.blurred.add("an administrator wrote the sentinel");
  },
  "remove-sentinel": (machine) => {
    machine.files.remove(sentinelPath(machine));
    machine.sentinelBootId = "";
  },
  "touch-certificate": (machine) => {
    machine.files.touch(kubeletPath(machine, "certificate"), machine.wallMs, machine.wallMs);
    machine.blurred.add("an administrator touched the certificate");
  },
  "join-by-hand": (machine) => {
    if (machine.membership === undefined) startJoinByHand(machine);
  },
  "join-again": joinAgain,
  "stop-kubelet": (machine) => {
    stopService(machine);
    machine.kubelet = { wanted: false, sinceMs: machine.trueMs };
    // A kubelet that is stopped asks for no certificate.
    for (const name of ["kubelet start", ownBootstrap]) machine.end(name);
  },
  "start-kubelet": (machine) => {
    startStoppedService(machine);
    startKubelet(machine);
    const asks = mayAskForCertificate(machine);
    const isAsking = machine.activities.some(({ name }) =>
      [ownBootstrap, "kubeadm.service", "cloud-init", "cloudbase-init"].includes(name),
    );
    if (asks && !isAsking) machine.start(ownBootstrap, true, (self) => finishBootstrapAlone(machine, self));
  },
  "rename-host": (machine) => {
    machine.hostName = machine.drawHostName();
    if (machine.system === "linux") machine.write("/proc/sys/kernel/hostname", `${machine.hostName}\n`);
  },
  "clear-logs": (machine) => {
    for (const path of ["/var/log/cloud-init-output.log", "/var/log/cloud-init.log", cloudbaseLogPath])
      machine.files.remove(path);
    machine.blurred.add("the logs are gone");
  },
  "clean-cloud-init": (machine) => {
    machine.files.remove("/var/lib/cloud");
    machine.blurred.add("cloud-init's records are gone");
  },
  "write-foreign-files": (machine) => {
    const copies = [
      "/etc/rancher/k3s/config.yaml",
      "/etc/k0s.token",
      "/capi-scripts/10-join.sh",
      "/capi/scripts/install.sh",
    ];
    for (const path of copies) machine.write(pathOn(machine, path), "# a copy\n");
  },
  "unrelated-unit-fails": (machine) => {
    machine.setUnit("backup.service", failedUnit);
    machine.setUnit("snapd.seeded.service", failedUnit);
  },
  "schedule-restart": (machine) => {
    scheduleRestart(machine);
    machine.restartByBootstrap = false;
  },
  "kill-cloud-init": killCloudInit,
  "stop-cloudbase-init": (machine) => {
    stopCloudbaseInit(machine, "automatic");
  },
  "disable-cloudbase-init": (machine) => {
    stopCloudbaseInit(machine, "disabled");
  },
  "join-by-hand-slowly": (machine) => {
    if (machine.membership === undefined) startJoinByHand(machine, pullAndWait);
  },
  "ask-kubeadm": (machine) => {
    const commands = ["version", "token", "certs", "config", "config images pull"] as const;
    const command = commands[Math.floor(machine.random() * commands.length)] ?? "version";
    machine.startProcess("kubeadm", "session-9.scope", { command, stray: true });
  },
  "hang-kubeadm": (machine) => {
    const told = machine.random() < 0.5 ? ({ command: "join" } as const) : {};
    machine.startProcess("kubeadm", "session-9.scope", { ...told, stray: true });
  },
  "contain-kubeadm": (machine) => {
    if (machine.system === "windows") return;
    machine.startProcess("kubeadm", "docker-1.scope", { command: "init", elsewhere: true, stray: true });
  },
};

export function administer(machine: Machine, act: AdminAct): void {
  machine.tell(`an administrator: ${act.replaceAll("-", " ")}`);
  acts[act](machine);
}

function joinAgain(machine: Machine): void {
  if (machine.membership?.shared === true || !machine.life.provider.startsWith("kubeadm")) return;
  machine.blurred.add("an administrator took the node apart");
  for (const name of ["kubeconfig", "certificate", "bootstrap", "config"] as const)
    machine.files.remove(kubeletPath(machine, name));
  machine.membership = undefined;
  startJoinByHand(machine);
}

/** Nearly the longest that kubeadm's own limits allow on a slow network, images and all. */
function* pullAndWait(machine: Machine): Script {
  machine.startProcess("kubeadm", "session-1.scope", { command: "config images pull" });
  yield machine.about(380_000);
  machine.endProcess("kubeadm");
  machine.startProcess("kubeadm", "session-1.scope", { command: "join" });
  yield machine.about(4_000_000);
  machine.endProcess("kubeadm");
}

function startJoinByHand(machine: Machine, before?: (machine: Machine) => Script): void {
  machine.start("join by hand", true, function* () {
    if (before !== undefined) yield* before(machine);
    yield* joinByHand(machine, { byBootstrap: false });
    machine.blurred.add("an administrator joined it by hand");
    machine.tell("the join by hand is done");
  });
}

/** The kernel kills cloud-init's process; systemd leaves its children alone (KillMode=process), so they may go on. */
function killCloudInit(machine: Machine): void {
  const running = machine.activities.find((activity) => activity.name === "cloud-init");
  // Killed in an earlier stage, the later stages still run (older releases) or fail one by one; the last stage is the one that matters.
  if (running === undefined || machine.units.get("cloud-final.service")?.active !== "activating") return;
  const unit = scriptUnit(machine);
  // The unit of the stage only waits for the one process of all stages, and ends well when that is gone (`nc -U … | sh`).
  machine.setUnit("cloud-final.service", exitedUnit);
  machine.setUnit(unit, { ...failedUnit, result: "oom-kill", exitStatus: 9 });
  machine.endProcess("cloud-init");
  machine.activities = machine.activities.filter((activity) => activity !== running);
  machine.processes = machine.processes.filter((process) => process.unit !== scriptUnit(machine));
}

function stopCloudbaseInit(machine: Machine, start: "automatic" | "disabled"): void {
  if (machine.system === "linux") return;
  machine.services.set("cloudbase-init", { kind: "service", state: "stopped", start, exitCode: 0 });
  machine.end("cloudbase-init");
  machine.processes = machine.processes.filter((process) => process.unit !== "cloudbase-init");
  machine.blurred.add("cloudbase-init was stopped by hand");
}

/** Another boot, as `systemctl reboot` or as a lost power supply makes it; files that were just written may be lost by the latter. */
export function powerCut(machine: Machine, offMs: number): void {
  if (machine.random() < 0.3) {
    for (const [key, entry] of machine.files.entries) {
      if (entry.changedMs > machine.wallMs - 5_000 && entry.kind === "file" && entry.text !== "") {
        machine.files.entries.set(key, emptied(entry));
      }
    }
    machine.blurred.add("what was just written was lost with the power");
    if (machine.membership?.vmId === machine.vmId) dropLostMembership(machine);
  }
  machine.restart(offMs);
}

function emptied({ kind, path, modifiedMs, changedMs, createdMs }: Entry): Entry {
  return { kind, path, text: "", modifiedMs, changedMs, createdMs };
}

function dropLostMembership(machine: Machine): void {
  const { membership } = machine;
  if (membership === undefined) return;
  const own = machine.files.get(membership.certificate)?.certificate;
  const kept = own ?? (membership.runsIn === "kubelet.service" ? kubeletCertificate(machine) : undefined);
  if (kept === undefined) machine.membership = undefined;
}
