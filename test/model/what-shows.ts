import { kubeletPath } from "./kubelet.ts";
import type { Machine } from "./machine.ts";
import type { Membership } from "./membership.ts";
import { sentinelPath } from "./user-data.ts";

/** What a machine shows of the truth, and what it has lost: no reader can know more (truth.ts). */
export const lost = "what was just written was lost with the power";

/** Windows: the log names the instance and dates its user data; without its beginning a node of another name, or one whose user data ran twice, looks like a donor's. */
export function isLogLost(machine: Machine, membership: Membership): boolean {
  const runsAgain = machine.kubeadmFailed;
  if (machine.system !== "windows" || (membership.nodeName === machine.hostName && !runsAgain)) return false;
  return hasLostItsLogs(machine);
}

function hasLostItsLogs(machine: Machine): boolean {
  return machine.blurred.has("the logs are gone") || machine.blurred.has(lost);
}

/** Linux: the clock was set back between cloud-init's marks and the certificate, which no later boot shows. */
export function seemsOlder(machine: Machine, { nodeName }: Membership): boolean {
  if (!machine.clockWasWrong || machine.boots === 1 || nodeName === machine.hostName) return false;
  return isOlderThanMarks(machine);
}

/** Windows: its kubelet joined with a token that lay in the image, before its own user data ran and failed: so a clone under its donor's name looks, too. */
export const joinedBeforeItsData = (machine: Machine): boolean =>
  machine.system === "windows" && machine.joinedAlone && machine.kubeadmFailed;

function isOlderThanMarks(machine: Machine): boolean {
  const names = ["config_write_files", "config_users_groups", "config_scripts_user"];
  const marks = names.flatMap((name) => machine.files.get(`/var/lib/cloud/instance/sem/${name}`)?.changedMs ?? []);
  const certified = [...machine.files.entries.values()].flatMap((entry) =>
    entry.certificate === undefined ? [] : [entry.changedMs],
  );
  // Written together with its first certificate: an older one says how old the node is, whoever touched the certificate.
  const joinedAt = machine.files.get(kubeletPath(machine, "kubeconfig"))?.changedMs ?? Number.POSITIVE_INFINITY;
  const first = Math.min(...marks);
  return marks.length > 0 && (joinedAt < first || certified.every((at) => at < first));
}

/** Its records were wiped, and cloud-init has run as for a new instance since: so a clone under its donor's name looks, too. */
export function ranAnew(machine: Machine): boolean {
  return machine.blurred.has("cloud-init's records are gone") && isOlderThanMarks(machine);
}

/** Good nodes whose proof is not plain; a check that waits for a better one tells no lie. */
export function mayBeWaitedFor(machine: Machine, membership: Membership): boolean {
  // A power cut can take the log with it as well as somebody's hand.
  const noLog = machine.system === "windows" && hasLostItsLogs(machine);
  return (
    noLog ||
    !membership.complete ||
    // Nobody has named the instance in this boot: an earlier sentinel may be a donor's.
    machine.blurred.has("cloudbase-init was stopped by hand") ||
    machine.blurred.has("the time zone was changed") ||
    machine.blurred.has("cloud-init's records are gone") ||
    lacksLastPhases(machine) ||
    machine.clockWasWrong ||
    runsInOtherService(machine, membership) ||
    hasNoOwnName(machine, membership) ||
    isProvedByNameOnly(machine) ||
    mayWriteSentinel(machine)
  );
}

/** A control plane: only the sentinel and the log tell that kubeadm's last phases went well, and both were taken away. */
function lacksLastPhases(machine: Machine): boolean {
  const told = machine.files.has(sentinelPath(machine)) || !machine.blurred.has("the logs are gone");
  return !told && isControlPlane(machine);
}

/**
 * Of user data of its own, in a service that the files of another node hide, or those of its own kubeadm, which was cut off: which of the two was
 * wanted nobody says.
 */
function runsInOtherService(machine: Machine, membership: Membership): boolean {
  const { userData, setting } = machine.life;
  const begun = machine.files.get("/var/lib/kubelet/kubeadm-flags.env")?.changedMs ?? Number.NEGATIVE_INFINITY;
  const hidden =
    setting === "named" ||
    // Its script names kubeadm, and so the node's own service is not asked for.
    userData === "own-joins-by-service" ||
    machine.files.has(kubeletPath(machine, "kubeconfig")) ||
    begun >= machine.firstBootMs;
  return membership.runsIn !== "kubelet.service" && userData.startsWith("own") && hidden;
}

/** Named otherwise than its host, and nothing dates the instance. */
function hasNoOwnName(machine: Machine, membership: Membership): boolean {
  const { provider, metadata } = machine.life;
  const wasGivenNone = provider === "kubeadm-ignition" || metadata === "missing";
  const noRecords = wasGivenNone || !ranCloudInit(machine) || isWithinZones(machine);
  return (noRecords || !membership.byBootstrap) && membership.nodeName !== machine.hostName;
}

function isProvedByNameOnly(machine: Machine): boolean {
  return isWithinZones(machine) && (machine.kubeadmFailed || !machine.files.has(sentinelPath(machine)));
}

/** Its script still runs, or was killed, and has written no sentinel in this boot. */
function mayWriteSentinel(machine: Machine): boolean {
  const scripts = ["cloud-init", "cloudbase-init", "kubeadm.service", "join in the background"];
  const scriptRuns = machine.activities.some(({ name }) => scripts.includes(name));
  return (scriptRuns || wasKilled(machine)) && machine.sentinelBootId !== machine.bootId;
}

/** Did cloud-init (or cloudbase-init) run in this boot, so that its records are of this machine? */
export function ranCloudInit(machine: Machine): boolean {
  if (["absent", "disabled"].includes(machine.image.cloudInit)) return false;
  if (machine.system === "linux") return !machine.files.has("/run/cloud-init/disabled");
  const service = machine.services.get("cloudbase-init");
  return service?.kind === "service" && service.start === "automatic";
}

/**
 * Windows: cloudbase-init's log has local times of an unknown zone, so in a boot after the one that joined nothing tells a certificate that
 * is less than the widest difference of two zones (26 h) older than the instance from one that is newer.
 */
export function isWithinZones(machine: Machine): boolean {
  if (machine.system !== "windows") return false;
  if (machine.boots === 1 && !machine.blurred.has("the time zone was changed")) return false;
  const certificate = machine.files.get(kubeletPath(machine, "certificate"));
  // The log dates the instance by its user data, which may have begun long after the first boot.
  const begins = [machine.firstBootMs, machine.userDataBeganMs ?? machine.firstBootMs];
  return certificate !== undefined && begins.some((at) => Math.abs(certificate.changedMs - at) < 27 * 3_600_000);
}

export function isJoinedByHand(machine: Machine, membership: Membership): boolean {
  return (
    !membership.shared &&
    !membership.byBootstrap &&
    (isOlderThanItsInstance(machine) || hasOwnBootstrap(machine) || machine.life.setting === "named")
  );
}

/** Joined before cloud-init had named the instance, in whichever boot: then its certificate is older than all that dates it. */
function isOlderThanItsInstance(machine: Machine): boolean {
  const certificate = machine.files.get(kubeletPath(machine, "certificate"));
  if (certificate === undefined) return false;
  const beganMs = Math.max(machine.firstBootMs + 60_000, machine.userDataBeganMs ?? machine.firstBootMs);
  return certificate.changedMs < beganMs || isOlderThanMarks(machine);
}

export const hasOwnBootstrap = (machine: Machine): boolean =>
  !["none", "empty", "comment-only"].includes(machine.life.userData);

export const wasKilled = (machine: Machine): boolean =>
  ["cloud-final.service", "cloud-init-main.service"].some((unit) => machine.units.get(unit)?.result === "oom-kill");

/** By its role, or where the kubelet joined alone by what kubeadm wrote on this machine before. */
export function isControlPlane(machine: Machine): boolean {
  if (!machine.joinedAlone) return machine.life.role !== "join-worker";
  const manifest = machine.files.get("/etc/kubernetes/manifests/kube-apiserver.yaml");
  return manifest !== undefined && !machine.clockWasWrong && manifest.changedMs >= machine.firstBootMs;
}
