import { cloudbasePluginsKey } from "./cloudbase-log.ts";
import type { Machine } from "./machine.ts";

/** Whether a boot of this machine would run its bootstrap once more, or go on with it. */
export function canRunAgain(machine: Machine): boolean {
  if (machine.system === "windows") {
    const service = machine.services.get("cloudbase-init");
    const starts = service?.kind === "service" && service.start === "automatic";
    return starts && machine.registry.get(cloudbasePluginsKey(machine))?.get("UserDataPlugin") !== "1";
  }
  if (machine.life.provider === "kubeadm-ignition") return machine.files.has("/etc/kubeadm.yml");
  return !machine.files.has(`/var/lib/cloud/instances/${machine.vmId}/sem/config_scripts_user`);
}
