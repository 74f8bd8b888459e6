import { kubeletPath, kubeletState } from "./kubelet.ts";
import type { Machine } from "./machine.ts";
import type { Membership } from "./membership.ts";
import { sentinelPath, serviceUnit } from "./user-data.ts";
import { hasOwnBootstrap, isWithinZones, ranCloudInit, wasKilled } from "./what-shows.ts";

/** What a reader of a machine could decide: where truth.ts demands a verdict in the end, and where none can be had. */

/** Whether the records of this machine show that a bootstrap of its own has run here, and made no node. */
export function ownBootstrapEnded(machine: Machine): boolean {
  const { provider, userData, metadata } = machine.life;
  // A script written by hand that ended well tells nothing, and Windows dates nothing within 26 h.
  if (userData.startsWith("own") && isWithinZones(machine)) return false;
  const keepsRecords = provider !== "kubeadm-ignition" && machine.image.cloudInit !== "absent" && metadata === "found";
  const runs = keepsRecords && ranCloudInit(machine) && !machine.blurred.has("cloudbase-init was stopped by hand");
  return runs && hasOwnBootstrap(machine) && userData !== "broken" && userData !== "own-unrelated";
}

/**
 * Windows dates nothing within 26 h. Beside leftovers of other providers nothing tells whose node this image was. And a service that runs
 * with a donor's certificate may still make one of its own, as long as user data of this machine ran and may have installed it.
 */
export function isDated(machine: Machine, { runsIn }: Membership): boolean {
  const isAmongLeftovers = machine.image.leftovers.length > 0 && !hasOwnBootstrap(machine);
  const mayRenew = runsIn !== "kubelet.service" && hasOwnBootstrap(machine) && !keepsDonors(machine);
  // The setting names another provider than the one whose node this is.
  const { setting, metadata } = machine.life;
  const isNamedOtherwise = setting === "named" && runsIn !== serviceUnit(machine);
  // Without metadata nothing names or dates the instance, and a node may have another name than its host.
  const isUnnamed = metadata === "missing";
  return !isWithinZones(machine) && !isAmongLeftovers && !mayRenew && !isNamedOtherwise && !isUnnamed;
}

/** k0s makes no second certificate, unless it is installed anew: that writes its unit again. */
function keepsDonors(machine: Machine): boolean {
  const unit = machine.files.get(`/etc/systemd/system/${serviceUnit(machine)}`);
  return machine.life.provider === "k0s" && unit !== undefined && unit.changedMs < machine.firstBootMs;
}

/** Whether a reader of the machine could know that nothing more will come. */
export function isDecidable(machine: Machine): boolean {
  if (machine.blurred.size > 0 || machine.clockWasWrong) return false;
  // Some providers write the sentinel before the node is there, and nothing says that the user data is over.
  if (wasKilled(machine) && machine.files.has(sentinelPath(machine))) return false;
  // A kubelet that runs with what kubeadm had written before it was killed: whether it comes to a certificate nobody knows.
  if (wasKilled(machine) && kubeletState(machine) === "running") return false;
  if (machine.files.has(kubeletPath(machine, "bootstrap"))) return false;
  const { userData, provider } = machine.life;
  if (provider === "kubeadm-ignition")
    return userData === "provider" && machine.files.has("/etc/systemd/system/kubeadm.service");
  if (isWithoutCloudInit(machine)) return false;
  return userData === "own-fails" ? machine.boots === 1 : !userData.startsWith("own");
}

function isWithoutCloudInit(machine: Machine): boolean {
  if (machine.image.cloudInit === "absent" || machine.image.cloudInit === "disabled") return true;
  return machine.system === "linux" && machine.files.has("/run/cloud-init/disabled");
}
