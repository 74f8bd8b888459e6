import { show, type Shown, type ShownText } from "../text/shown-text.ts";
import type { EvidenceLine, SourceId } from "./diagnosis.ts";
import { isAdvice } from "./advice.ts";
import { withoutMark } from "./commented.ts";
import { endsInError } from "./ending-errors.ts";
import { isHealthyLine } from "./healthy-lines.ts";
import { inEnglish } from "./in-english.ts";
import type { Program } from "./reading/programs.ts";
import { windowsCodesOf } from "./reading/windows-codes.ts";

/** How much a line says that a step ended badly: 3 is a verdict of the step itself, 1 an error in passing. */
export type ErrorWeight = 1 | 2 | 3;

export interface ErrorLine {
  readonly source: SourceId;
  readonly origin: string;
  readonly originIndex: number;
  /** The last line of this shape. */
  readonly line: number;
  /** Where a person finds it: a line within a literal stands in the line of its literal. */
  readonly fileLine: number;
  readonly text: ShownText;
  /** The same line, not shortened. */
  readonly whole: ShownText;
  readonly weight: ErrorWeight;
  /** The first line of this shape, and how many there are. */
  readonly firstLine: number;
  readonly count: number;
  /** The last line that begins as this one, though a screen or the end of an excerpt cut it. */
  readonly lastLine: number;
  /** Lines of its log. */
  readonly logLines: number;
  /** The last line of what the same command showed, where several were pasted one behind the other; else the log's. */
  readonly endLine: number;
  /** Line of its log in which systemd last started a daemon; 0 where it did not, or does so over and over. */
  readonly lastStart: number;
  /** Line of its log in which the real system was reached; 0 where the log does not say. */
  readonly booted: number;
  /** Whoever pasted the log left out what stood around it. */
  readonly keptAlone?: true;
  /** Whose output the heading or the command above it announces. */
  readonly speaker?: Program;
}

/** Errors by the form that programs give them, not by their words: kubeadm, klog, logrus, zap, systemd, apt, Python, shells, Go. */
export const forms: readonly { readonly pattern: RegExp; readonly weight: ErrorWeight }[] = [
  // What it calls fatal is its own end, and not that of who called it.
  { weight: 1, pattern: /(?:^|\s)modprobe: FATAL: /u },
  // How a helper ended whose program only warns of it, as there was nothing to take away.
  {
    weight: 1,
    pattern: /(?:level=warn|\bWARN\b).{1,120}\b(?:unable|failed) to (?:clear|clean|flush|remove|delete)\b/iu,
  },
  {
    weight: 3,
    pattern:
      /error execution phase|\[ERROR [A-Za-z]|level=(?:fatal|panic)|"level": ?"(?:fatal|panic)"|(?:^|[:\]] )F\d{4} \d\d:\d\d:\d\d|"command failed" err=|(?:^|: )panic: |\bFATA[[:]|^FATA |CRITICAL|(?<!=)\bFATAL\b/u,
  },
  {
    weight: 3,
    pattern:
      /terminal failure|WINDOWS_CSE_ERROR_[A-Z]|exited with non-zero|exit(?:ed with)? (?:status|code)[ =:"]{1,3}[1-9](?!\d{0,2}\W{1,3}Retrying)|, status=[1-9]\d{0,2}\/[A-Z]|process exited, code=\w{4,8},? status=[1-9]|\.service - .{0,300}Active: (?:failed \(Result|activating \(auto-restart\) \(Result: (?!success))|Running module (?:scripts[-_]\w{2,20}|bootcmd|runcmd|write[-_]files|users[-_]groups) \(.{0,240}\) failed|Failed at step [A-Z]|Ignition failed|plugin '[^']{1,80}' failed with error|Joining server certificate|Failed to (?:bootstrap|join) the cluster|Failed to run kubelet|Failed to start (?:ContainerManager|cAdvisor|daemon)|^\s*timed out waiting for the condition$|Some fatal errors occurred: \S|^The SSH command responded with a non-zero exit status|invoked oom-killer|Failed running \/var\/lib\/cloud|Failed to run module (?:scripts|write[-_]files|users[-_]groups)|Runparts: \d{1,3} failures|Service Control Manager .{0,9}70(?:00|09|23|24|31|34)\b|sequence: failed|: failed (?:run of )?stage [a-z]|^\+{1,4} exit [1-9]|"ExitCode\\{0,3}": ?\\{0,3}"[1-9]/iu,
  },
  {
    weight: 2,
    pattern:
      /Failed with result '|curl: \(\d|^\[(?:ERROR|FATAL)\] {2}|level=error|"level": ?"error"|\bERRO\[|\] ?ERROR|\bERROR (?:ExtHandler|Daemon|cloudbaseinit)|\[ERROR\]:|\[error\]/u,
  },
  // Package managers that name what they cannot have.
  {
    weight: 2,
    pattern:
      /Valid metadata not found|^Error building the cache|^Package '[^']{1,80}' not found|^'[^']{1,80}' not found in package names|^Repository '[^']{1,80}' is invalid|^File '[^']{1,80}' not found on medium|is needed by \S{1,80}-\d|\.rpm is not signed|^Problem: nothing|^gzip: |^tar: This does not look like|^xz: .{1,80}: File format not recognized|directory signature not found\.|^[ -]{0,4}nothing provides |^ {0,4}Problem: |^Public key for \S{1,200} is not installed/u,
  },
  // What a shell says of a program that nobody installed.
  { weight: 2, pattern: /^Command '[^']{1,60}' not found, but can be installed/u },
  // A script that cannot be read does not run, and cloudbase-init runs it once.
  {
    weight: 2,
    pattern:
      /An error occurred during user_data execution|\bParserError\b|Unexpected token '[^']{1,80}' in expression or statement|Missing closing '[^']{1,3}' in |The string is missing the terminator|^Exception calling "\w{2,60}" with "\d{1,2}" argument/u,
  },
  // The last words of a start-up script.
  { weight: 3, pattern: /\b(?:node|machine) (?:setup|bootstrap) failed: /iu },
  // What a supervisor cannot find does not come by itself.
  { weight: 3, pattern: /\bexited: exec: "[^"]{1,120}": executable file not found/u },
  // With these words cloud-init tells Azure that the machine failed.
  { weight: 3, pattern: /\bresult=error\|reason=/u },
  // What k0s asks of its host, which has it not.
  { weight: 2, pattern: /^\s{0,8}[^:]{3,60}: .{1,120} \(rejected\)$/u },
  // Tools for disks say their name in front of a complaint alone.
  {
    weight: 1,
    pattern:
      /^(?:mkfs\.\w{2,8}|mke2fs|mount(?:\.\w{2,8})?|tune2fs|e2label|resize2fs|s?fdisk|parted|partprobe|losetup|swapon|(?:[lp]v|vg)(?:create|extend|change|resize|scan|display)): (?!.{0,200}(?:WARNING|mounted on|mounted by|already has|skipping))/u,
  },
  // systemd gives up its machine.
  { weight: 3, pattern: /^\[!{6}\] |\]: \[!{6}\] /u },
  // etcd before 3.4 ends with what it says at this level.
  { weight: 3, pattern: /(?:^|\d )C \| etcdmain: /u },
  // Ignition ends with it.
  { weight: 3, pattern: /failed to acquire config: /u },
  // Without these containerd serves nothing.
  {
    weight: 2,
    pattern: /failed to load plugin \W{0,3}io\.containerd\.(?:service|metadata|content|grpc|runtime)\.v\d/u,
  },
  // What containerd and runc write to their standard error as they end.
  { weight: 3, pattern: /(?:^|\]: )(?:containerd|runc): (?!time=)[a-z/]/u },
  { weight: 3, pattern: /ERROR CODE: [A-Z]/u },
  {
    weight: 2,
    pattern:
      /\.py\[(?:WARNING|ERROR|CRITICAL)\]: (?:Failed (?!to (?:run|posix)|running)|Unhandled|Invalid|No instance|Package)/u,
  },
  // Whoever reads it goes on without it, and does what it asks for not.
  { weight: 2, pattern: /\bFailed (?:to parse|fetching) (?:user|vendor|meta)-?data\b/u },
  // Tools that speak the machine's language.
  { weight: 2, pattern: /^(?:erreur|Fehler) ?: /u },
  // Ignition is refused what it needs, and does not ask again.
  { weight: 2, pattern: /(?:GET|PUT) result: (?:Unauthorized|Forbidden|Gone|Bad Request|Method Not Allowed)\b/u },
  // What apt's update could not get.
  { weight: 1, pattern: /^Err ?:\d/u },
  { weight: 2, pattern: /^gpg: (?:can't|no valid|dearmoring failed)/u },
  {
    weight: 2,
    pattern: /^(?:.{10,80}\]: |\[ *\d{1,8}\.\d{1,6}\] |\s{1,40}|[A-Z].{10,120}\. )?(?:E|fatal|error|Error): /u,
  },
  // The end of what a command says of itself, and a job of systemd that waits without end.
  {
    weight: 2,
    pattern:
      /^docker: Error|^Giving up\.$|Exiting due to [A-Z\d]{2,}_[A-Z]|establish SSL connection|get D-Bus connection|not been booted with systemd|^ - \[ssh\] |^Connection failed\. |^fatal: \[[^\]]{1,80}\]: |^[A-Z]\w{1,20}-[A-Z]\w{1,40} : |The term '[^']{1,60}' is not recognized|Incorrect Usage: |hcs(?:shim)?::\w{3,40}.{0,60}(?:error|fail)|\(\d{1,4}min .{0,12}\/ no limit\)/iu,
  },
  {
    weight: 2,
    pattern: /(?:^|\]: |^Caused by: |^Exception in thread "[^"]{1,40}" )[A-Za-z_][\w.]{0,60}(?:Error|Exception): /u,
  },
  { weight: 1, pattern: /(?:^|[:\]] )E\d{4} \d\d:\d\d:\d\d|\.py\[(?:WARNING|ERROR|CRITICAL)\]: /u },
  // calico, and others whose loggers put level and process into boxes.
  { weight: 1, pattern: /\[(?:WARNING|ERROR|FATAL|PANIC)\]\[\d/u },
  // A container in a list of crictl, an event in kubectl's.
  {
    weight: 1,
    pattern:
      /\s(?:Exited|CrashLoopBackOff|ImagePullBackOff|ErrImagePull) {2,}\S+ {2,}\d|^\s*Warning {2,}[A-Z]\w{3,40} {2,}/u,
  },
  {
    weight: 1,
    pattern:
      /\b(?:error|errors|failed|failure|fails?)\b|command not found|executable file not found|command '[^']{1,60}' not found|no such file or directory|permission denied|unable to|cannot |can not |could(?:n't| not) |\.go:\d{1,6} \+0x|refused|refusing\b|\bnot (?:all )?(?:ready|healthy|\w{2,12} became ready) (?:after|within) |maximum runtime of|timed out|denied|invalid|unauthorized|forbidden|does not exist|unknown (?:(?:shorthand )?flag|kind|field|(?:\w{2,20} ){0,3}version)|etcdserver: |deadline exceeded|time-?out|exceed|unreachable|requires authentication|un(?:healthy|available|supported|expected)|not supported|mismatch|not match|no such host|can't resolve |no route to host|is a directory\b|service not known|bad address '|name does not resolve|Signature not yet current|is too (?:old|new) to be used|are not correct for this package|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|future \(time warp|is not available, but is referred to|because of no progress in|CertificateNotYetValid|NotValidYet|(?:BAD|UNTRUSTED) signature|unknown trust\b|address (?:already )?in use|\bisn't set properly|\(NXDOMAIN\)|no servers could be|unbound variable|bad substitution|bad interpreter|parameter (?:null or )?not set|bad unit file|no ExecStart|holding the yum lock|version `GLIBC|QPS exceeded|TimeTooSkewed|high clock drift|clock difference against|short-name|a required flag\b|leaderelection lost|is now earlier than \d|undefined symbol|SSL certificate problem|No module named|locate credentials|not of the form|x509: |no space left|too many|must be (?:an? )?(?:ipv4|valid)|inconsistency;|can't (?:find|read|open|create|mount|stat|load) |is not a block device|mount point busy|contain an existing filesystem|in use by the system|rejected|killed process|System OOM|RPF check is|oom_reaper: reaped|cni config uninitialized|cni plugin not initialized|unknown command|already used by|contents are not set|- can't mount|lsetxattr: |did not become |never became |specified both |had condition|oom-kill:|requires at least \d|disk is full|out of disk space|low on resource|insufficient (?:free |disk )?space|free data blocks|already mounted|already used as|due to memory |providers are disabled|is less than the (?:required|minimum)|is not a shared|will not make a filesystem|no size was specified|ignored by filtering|exclusively\.|stopped posting node|more space (?:on|needed)|wrote only \d|does not support|not (?:allowed|available|offered) in your subscription|missing |runtime is down|no server available|\barg\(s\), received \d|permanently removed from|that are too old|version to upgrade to|this version of|out of memory|read-only file system|i\/o error|is not recognized|CommandNotFound|SELinux is preventing|not appear|ended with return code: (?!100[123]\b)[1-9]|found busy partitions/iu,
  },
];

/** A list of errors without one, a count of none. */
const noErrors = /\b\w{0,30}(?:errors?|failures?|failed)\\?"? ?[:=] ?(?:\[\]|\{\}|null\b|none\b|\\?"\\?"|0\b)/giu;

/** How long a step may take, told as it begins. */
const allowedTime = /\(timeout:? \d[\dhms.]{1,9}\)/gu;

/** What somebody looked for in a log, and with which command, is not what the log says. */
const lookedFor =
  /^(?:[#$] |\[?\w[\w.-]{0,40}@[\w.-]{1,80}[^\n]{0,60}?[#$] ?)(?:sudo )?(?:cat|tail|head|less|z?e?grep|journalctl|dmesg|kubectl|crictl|docker|systemctl|talosctl)\b/u;

/** A shell traces that it gives a variable a value, as to the names of the codes with which it may end. */
const assigned = /^\+{1,5} (?:(?:export|local|readonly) )?[A-Za-z_]\w{0,80}=\S*$/u;

/** A task of Ansible that went well, with all that its command had said. */
const wellTask = /^\s*(?:ok|changed): \[[^\]]{1,80}\].{0,200}? => \{.{0,4000}"rc": ?0\b/u;

/** The rest of what was said in the line before: what ended is what that line is about. */
const restOfLine = /(?:^|\]: )with error: exit status \d{1,3}$/u;

/** A row of sha256sum's, whose last line says what it means. */
const checksumRow = /^[\w./+-]{1,200}: FAILED$/u;

const nothingSaid = [lookedFor, assigned, restOfLine, wellTask, checksumRow];

export function errorWeight(text: string): ErrorWeight | undefined {
  if (isHealthyLine(text) || nothingSaid.some((pattern) => pattern.test(text))) return undefined;
  const said = inEnglish(withoutMark(text)).replaceAll(noErrors, "").replaceAll(allowedTime, "");
  const weight =
    forms.find(({ pattern }) => pattern.test(said))?.weight ??
    weightOfCode(said) ??
    (endsInError(said) ? 1 : undefined);
  return isAdvice(text) ? undefined : weight;
}

function weightOfCode(text: string): ErrorWeight | undefined {
  return windowsCodesOf(text).length > 0 ? 1 : undefined;
}

export const longestShape = 220;

/** What lines of one message have in common: their text without numbers. */
export function shapeOf(text: string): string {
  return text.replaceAll(/\d+/gu, "0").slice(0, longestShape);
}

/** The lines to quote: weightiest first, of these the last, shown in the order of the log. */
export function decisiveLines(lines: readonly ErrorLine[], most: number): readonly Shown<EvidenceLine>[] {
  const chosen: ErrorLine[] = [];
  const seen = new Set<string>();
  for (const line of lines.toSorted(moreTelling)) {
    const shape = shapeOf(line.text.replace(leadingTime, ""));
    if (seen.has(shape)) continue;
    seen.add(shape);
    chosen.push(line);
    if (chosen.length === most) break;
  }
  return chosen
    .toSorted((a, b) => a.originIndex - b.originIndex || a.line - b.line)
    .map(({ source, origin, fileLine: line, text }) => ({ source, origin: show(origin), line, text }));
}

/** The same line stands in a program's own log with its time, and in the journal without it. */
const leadingTime = /^\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)? {1,4}/u;

/** Of equal weight, what the check or command itself said comes before what a log of the machine says. */
export function moreTelling(a: ErrorLine, b: ErrorLine): number {
  const own = Number(b.source === "command-output") - Number(a.source === "command-output");
  return b.weight - a.weight || own || b.originIndex - a.originIndex || b.line - a.line;
}
