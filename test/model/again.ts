import { cloudbasePluginsKey } from "./cloudbase-log.ts";
import type { Machine } from "./machine.ts";
import { serviceUnit } from "./user-data.ts";

/** Whether a boot of this machine would run its bootstrap once more, or go on with it. */
export function canRunAgain(machine: Machine): boolean {
  if (machine.system === "windows") {
    const service = machine.services.get("cloudbase-init");
    const starts = service?.kind === "service" && service.start === "automatic";
    return starts && machine.registry.get(cloudbasePluginsKey(machine))?.get("UserDataPlugin") !== "1";
  }
  if (machine.life.provider === "kubeadm-ignition") return machine.files.has("/etc/kubeadm.yml");
  if (machine.life.provider === "microk8s") return false;
  if (machine.files.has(`/etc/systemd/system/multi-user.target.wants/${serviceUnit(machine)}`)) return true;
  return !machine.files.has(`/var/lib/cloud/instances/${machine.vmId}/sem/config_scripts_user`);
}
