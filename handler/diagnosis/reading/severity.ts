import { kindsOf, type Kind } from "./kinds.ts";
import type { Program } from "./programs.ts";

/** How a program speaks of what happened: "end" says that it, or the step it ran, is over. */
export type Severity = "end" | "error" | "warning" | "info";

const severities: readonly (readonly [RegExp, Severity])[] = [
  [/^(?:fatal|fata|panic|critical|crit|c|dpanic|emerg|alert|f)$/iu, "end"],
  [/^(?:error|err|erro|eror|e)$/iu, "error"],
  [/^(?:warning|warn|w)$/iu, "warning"],
  [/^(?:info|debug|notice|trace|[ind])$/iu, "info"],
];

export function severityOfName(name: string | undefined): Severity | undefined {
  return severities.find(([pattern]) => pattern.test(name ?? ""))?.[1];
}

const endForms =
  /^\+{1,4} exit [1-9]|error execution phase|^(?:containerd|runc): (?!time=)[a-z/]|^\[ERROR |\[ERROR [A-Z]|^(?:erreur|fehler|errore?|erro|fout|fel|błąd|ошибка|エラー|错误) ?[:：] ?|^(?:GET|PUT) result: (?:Unauthorized|Forbidden|Gone|Bad Request|Method Not Allowed)|unexpected status SERVICE_|\bOne of the configured repositories failed|^panic: |^fatal(?: error)?(?: running)?: |error running phase \d|Some fatal errors occurred: \S|\[Azure CNS\] {1,2}(?:Failed to (?:start|initialize|init|create|restore|register)|Unable to find working)|^FAIL: {1,2}Service \S{1,60}(?:apiserver|containerd|kubelet|kubelite|dqlite|etcd) is not running|\bRunning Fail |^E: |^unknown (?:shorthand )?flag: .{1,200} Usage(?: of |: )|terminal failure|exited with non-zero|exit(?:ed with)? (?:status|code)[ =:"]{1,3}[1-9](?!\d{0,2}\W{1,3}Retrying)|status=[1-9]\d{0,2}\/|Failed with result|\bActive: failed \(Result|\bActive: activating \(auto-restart\) \(Result: (?!success)|\(code=exited, status=[1-9]|\(code=(?:killed|dumped)|Failed to start |Failed at step|^error: |^Error: |^unable to add a new control plane instance|^\[(?:api|kubelet|control-plane)-check\] .{3,60} is not healthy after \d|^[\w.]{3,60}(?:Error|Exception|Warning)?: .{0,40}failed|Failed to (?:run kubelet|load kubelet config file)|Failed to start (?:ContainerManager|cAdvisor|daemon)|Exiting|giving up|gave up|metadata\. tried \d|failed with (?:error|exit)|Ignition failed|Unable to continue|sequence: failed|^Job for \S{1,80} failed|^\[talos\] service\[[\w-]{1,60}\]\(Failed\)/iu;
/** A pod that goes is not a node that comes, and a container that is gone is asked after for a while. */
const teardown =
  /failed to read init pid file|failed to destroy network|StopPodSandbox|RemovePodSandbox|KillPodSandbox|Failed to (?:create existing|remove|delete) (?:dead )?container\b|unable to get stats for container|cgroup deleted|(?:Container|PodSandbox)Status for .{0,200}\bNotFound\b/u;
const errorForms =
  /^Err ?:\d|^(?:mkfs\.\w{2,8}|mke2fs|mount(?:\.\w{2,8})?|tune2fs|e2label|resize2fs|s?fdisk|parted|partprobe|losetup|swapon|lv\w{4,8}|vg\w{4,8}|pv\w{4,8}): (?!.{0,200}(?:WARNING|mounted on|mounted by|already has|skipping))|not been booted with|NotFound\w{0,20}Exception|WINDOWS_CSE_ERROR|\b(?:error|failed|failure|unable to|can ?not|could not|couldn't|preventing|timed out|is not a block device|contain an existing|not recognized|refused|refusing|denied|invalid|insufficient)\b/iu;

/** What was to be removed and is not there needs no removing. */
const cleanUp =
  /(?:(?:unable|failed) to|could not|cannot) (?:clear|clean|remove|delete|unlink)\b.{0,300}(?:no such (?:file or directory|container)|not found|does not exist)$/iu;

/** cloud-init warns of what it could not do, and kubeadm tells at level I why it tries again. */
const understated =
  /^(?:Running module .{1,260} failed$|Getting data from .{1,200} failed$|(?:DataSource[A-Z]\w{1,30}: )?(?:[Ff]ailed|Unable)|Calling 'http|Unhandled|Invalid|No instance|Unable|Error|Timed out)|\] (?:Failed to |User_data script ended with return code: (?!100[123]\b)[1-9]|An error occurred)|will (?:try again|retry)/u;

/** The kubelet tells at level info, over and over, what keeps it from its pods. */
const heldUp = /skipping pod synchronization/iu;

/** A node under load is late once, and ready again. */
const busy = "PLEG is not healthy: pleg was last seen";

/** What still works, and will not in a later version; and a field that a lenient reader leaves out. */
const deprecation = /\bdeprecat(?:ed|ion)\b|\bunknown field\b|lenient decoding/iu;

/** What will be an error one day, said without a level. */
const later = /\bis deprecated (?:and can cause .{0,60}errors )?in the future\b|deprecated, .{0,80}\bin a future\b/u;

/** What a program does not know of its settings, and leaves out. */
const leftOut = /\b(?:skipping|ignoring)(?: it)?(?:\\n|\W)*$|\b(?:will be|is being|was) ignored\b/u;

/** The control plane's own parts ask before its first start has given them their roles. */
const roleless =
  /User \\{0,3}"system:(?:(?:k3s|rke2)-[\w-]{2,40}|kube-scheduler|kube-controller-manager)\\{0,3}" cannot/u;

/** The tunnel between the nodes of k3s and RKE2 is dug again, every few seconds; in vain where the address is VirtualBox's own. */
const tunnel = /^(?:Failed to connect to|Remotedialer) proxy\b(?!.{0,200}\b10\.0\.2\.15\b)/u;

/** Talos's controllers fail and are started again until what they need is there. */
const retried = /"component": ?"controller-runtime"/u;

/** A daemon that waits, for a reason that no waiting cures, waits for ever. */
const waiting = /^(?:Waiting|Still waiting) (?:to|for|until) |server is not ready: /u;
const lastingKinds: ReadonlySet<Kind> = new Set<Kind>([
  "denied",
  "not-supported",
  "kernel-lacks",
  "security-denied",
  "read-only",
  "unauthorized",
  "unknown-authority",
  "wrong-name",
  "expired",
  "cannot-parse",
  "mismatch",
  "bad-request",
]);

/** May yet become so. */
const notYet = /\bnot (?:yet )?available\b/iu;

function isLasting(message: string): boolean {
  const [innermost] = kindsOf(message);
  return !notYet.test(message) && innermost !== undefined && lastingKinds.has(innermost.kind);
}

/** The guest agent tells at level info what it could not do, and tries something else. */
const toldAsInfo = /\[(?:Protocol|Provision|Http|OSUtil|Resource)\w{0,20}Error\]|\[HTTP Failed\]/u;

function understates(program: Program | undefined, message: string): boolean {
  return (program === "cloud-init" || program === "cloudbase-init") && understated.test(message);
}

/** etcd tells of each answer that took its time: the answer came. */
const slow = /\btook too long\b(?!.{0,40}(?:giving up|abort))|avoid queries with large range|^sync duration of /u;

/** containerd reads its network configuration again at each change, also while somebody takes the old one away. */
const changing = /after receiving fs change event.{0,400}no network config found/u;

/** A process that outgrew its own container's limit, and none of the node's. */
const ownLimit =
  /oom-kill:constraint=CONSTRAINT_MEMCG(?!.{0,400}task=(?:kube|etcd|containerd|crio|dockerd|k3s|rke2|k0s))|Memory cgroup out of memory: Kill(?:ed)? process \d{1,8} \((?!kube|etcd|containerd|crio|dockerd|k3s|rke2|k0s)/u;

/** What the kubelet could not count of a control group or of a node that it has not yet. */
const counted = /\b(?:failed|unable) to get (?:\w+ ){0,3}stats\b(?!.{0,600}(?:rpc error|dial |connect))/iu;

/** What SELinux would deny if it were not set to let everything pass. */
const permitted = /\bavc: {1,2}denied\b.{0,600}\bpermissive=1\b/u;

/** What is done where that cannot be had is said with it. */
const instead = /[,;] assuming [a-z]/u;

/** The guest agent measures what it and its extensions use, and does without where it cannot. */
const ownUse = /\bcgroups?\b|CGroups?Exception|resource usage/iu;

/** The kubelet asks every file of a plug-in's folder what it can, and does without those that do not answer. */
const askedPlugIn = /flexvolume|\bfor command: init, output\b/iu;

/** Keys of which no node needs one: who sets them from a list goes on with the next. */
const otherKey =
  /^sysctl: (?!.{0,120}(?:bridge|forward|conntrack|overcommit|panic|keys|rp_filter|inotify|max_map|route_localnet|unprivileged))/u;

/** Where else a program would have told of itself. */
const toldElsewhere = /\b(?:failed|unable) to (?:connect|log|write) to (?:the )?(?:syslog|journald?)\b/iu;

/** kubeadm has waited for a part of its time, and goes on waiting. */
const firstWait = /^(?:\[kubelet-check\] )?Initial timeout of \d{1,3}s passed/u;

/** A package manager that waits for its lock, and has not waited for minutes. */
const lockWait = /^Waiting for cache lock: .{1,2000}\.{3} ?(?:\d{1,2}|1[01]\d)s$/u;

/** What the API server says of whoever asks with a token that it does not know, as pods of before do. */
const foreignToken =
  /Unable to authenticate the request.{0,40}\[?invalid bearer token(?!.{0,80}(?:before issued|not valid yet|in the future))/u;

const passed = [
  foreignToken,
  askedPlugIn,
  toldElsewhere,
  lockWait,
  otherKey,
  firstWait,
  changing,
  permitted,
  counted,
  instead,
  teardown,
  cleanUp,
  roleless,
  slow,
  ownLimit,
];

/** By the line's own level, and by its words where they say more. */
export function soundOf(message: string, level: Severity | undefined, program: Program | undefined): Severity {
  if (program === "waagent" && ownUse.test(message)) return "info";
  if (passed.some((pattern) => pattern.test(message)) || (tunnel.test(message) && !isLasting(message))) return "info";
  if (retried.test(message)) return "error";
  if (level === undefined) return later.test(message) ? "info" : unlevelled(message);
  if (level === "warning") return ofWarning(message, program);
  if (level === "info") return ofInfo(message, program);
  return message.includes(busy) ? "warning" : level;
}

/** containerd warns of any plugin that it cannot load, also of those without which it serves nothing. */
const essentialPlugin = /failed to load plugin \W{0,3}io\.containerd\.(?:service|metadata|content|grpc|runtime)\.v\d/u;
/** A snapshotter of a file system that this machine has not. */
const otherPlugin =
  /(?:failed to load plugin \W{0,3}io\.containerd\.snapshotter\.|could not use snapshotter )(?!.{0,300}(?:support|enable) d_type)/u;

/** iptables warns of the part of the kernel that it lacks, and then cannot do what it was asked for. */
const lackingModule = "missing kernel module?";

function unlevelled(message: string): Severity {
  const own = severityOf(message);
  return own === "info" && kindsOf(message).length > 0 ? "error" : own;
}

/** kOps' nodeup warns of each task that failed, and tries it until its time is over. */
const givenTime = /^error running task "[^"]{3,200}" \(\S{2,12} remaining to succeed\): /u;

/** What was to be taken away, and was not or was not there: a program that only warns of it goes on. */
const takenAway =
  /^.{0,80}?\b(?:unable|failed) to (?:clear|clean|flush|remove|delete|unlink|stop|kill|destroy|unmount|umount)\b/iu;

/** What a program goes on without, as it says itself: a part of the kernel, a file system as large as its disk. */
const withoutIt = /^Your kernel does not support |\bcannot resize: /u;

function ofWarning(message: string, program: Program | undefined): Severity {
  if (withoutIt.test(message) || takenAway.test(message) || deprecation.test(message) || leftOut.test(message))
    return "info";
  if (essentialPlugin.test(message) || message.includes(lackingModule) || givenTime.test(message)) return "error";
  if (otherPlugin.test(message)) return "info";
  if (understates(program, message)) return severityOf(message) === "end" ? "end" : "error";
  return isWaitingForNothing(message) ? "end" : "warning";
}

function ofInfo(message: string, program: Program | undefined): Severity {
  // 1001 to 1003 ask cloudbase-init for a restart, or for another run.
  if (program === "cloudbase-init" && / return code: (?!100[123]\b)[1-9]/u.test(message)) return "error";
  if (program === "waagent" && toldAsInfo.test(message)) return "error";
  if (isWaitingForNothing(message)) return "end";
  if (program === "kubelet" && heldUp.test(message)) return "warning";
  return understated.test(message) ? "warning" : "info";
}

/** Waits for what no waiting cures. */
function isWaitingForNothing(message: string): boolean {
  return waiting.test(message) && isLasting(message);
}

function severityOf(message: string): Severity {
  if (endForms.test(message)) return "end";
  if (/^(?:[\w.-]{2,20}: )?\[?(?:WARNING|WARN)\b/iu.test(message)) return "warning";
  return errorForms.test(message) ? "error" : "info";
}
