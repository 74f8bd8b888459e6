import { errorWeight } from "./error-lines.ts";

/**
 * A line of a short log that says that something went well, that it is tried again, or that the machine goes down.
 * "attempt": with it the log ends, while one of the first attempts is under way; "wait": while a program waits for the next.
 * "started": something is begun, maybe once more. "step": a program that starts tells of its next step. "restart": systemd
 * starts a unit once more. "ready": kubectl lists a node that is. "settled": by what
 * closes the log this line is over.
 */
export interface WellLine {
  readonly kind: "well" | "again" | "attempt" | "wait" | "started" | "step" | "restart" | "down" | "ready" | "settled";
  /** From 1, in the order of the log. */
  readonly line: number;
  readonly text: string;
}

/** Lines up to which a log is short: further on other things go well than the one that failed. */
const shortLog = 24;

/** How programs say that a thing that they did, or waited for, is done. */
const well =
  /\bsuccess(?:ful(?:ly)?)?\b|\bsucceeded\b|\brecovered\b|\b(?:after|in) \d{1,4} (?:more )?(?:attempts|tries|retries)\b|\b(?:is|are|became|becomes|just became) (?:now )?(?:ready|healthy|running|up|active|available|reachable|valid|in sync|synced|trusted)\b|\b(?:established|acquired|obtained|populated|elected|approved|issued|promoted|registered|initiali[sz]ed|installed|mounted(?! on$)|downloaded|imported|pulled|retrieved|refreshed|restored|renewed|synced|completed?|connected|(?<=\w )created|created container|attached|loaded|joined|booted|written)\b|\breturns (?:image reference|sandbox id)\b|^\s*(?:[\w.-]{1,40}: )?(?:ok|changed): \[|\bok after\b|\bable to\b|\bupdated the\b|\bcondition met\b|\bserving (?:securely )?on\b|\bready to serve client\b|\bfailed=0\b|^\[\+\]\S{2,80} ok$|^Setting up \S{1,80} \(|['’] saved\b|\bis already the newest version\b|^Fetched \d|^\d{2,4} bytes from\b|^100 {1,6}[\d.]{1,8}[kMG]? {1,6}100 |^Running {2,}\S|\bservice\[[\w-]{1,60}\]\(Running\)|\bRunning (?:kubelet|load balancer)\b|\bexit (?:code|status)?:? ?0\b/iu;

/** In capitals alone: a word that any text may have. */
const okay = /\bOK\b/u;

/** Before such words: the opposite, what is only begun or hoped for, and what was cleared away. */
const notYet =
  /\b(?:not|never|no|without|cannot|unable|fail\w{0,4}|errors?|until|before|waiting|wait|trying|giving|gave|to be|must|should|would|if|when|once|unless|check|ensure|make sure|verify|suggest\w{0,6}|please|retry\w{0,3}|clean(?:ed)?[- ]?up|remov\w{1,3}|stop\w{0,4}|delet\w{1,3}|kill\w{0,3}|destroy\w{0,3}|tear ?down|partially|already)\b|n't\b|Stop(?:Pod|Container)/iu;

/** An attempt that is announced, or that was one of several. */
const again =
  /\b(?:re-?try(?:ing)?|retries|retried|will (?:try|retry)|try(?:ing)? (?:again|the next|next)|attempt(?:s|ing)?[ #:]{1,2}\d|starting over in \d|falling back to|backing off|sleeping|(?<!timed out |gave up |giving up )waiting for|remaining to succeed)\b|\b\d{1,4}\/\d{1,4}s?\b|(?:reflector\.go|failed to watch)\b/iu;

/** One of the first attempts, and not how it ended. */
const young = /\battempts? ?[#:]? ?[2-5](?:\/\d{1,4})?$|^\s*\[[1-5]\/\d{2,4}\] /iu;

/** Ignition begins what it does with this word, once more where it failed. */
const started = /\bop\(\w{1,4}\): \[started\]/u;

/** Says of itself when the next attempt comes. */
const nextAttempt =
  /\b(?:re-?try(?:ing)?(?: again)?|tr(?:y|ying) again|next (?:attempt|retry|try)|sleeping|waiting)(?: for| in)? \d{1,3} ?(?:ms|s|sec|seconds?|minutes?)\b|sleeping before retrying\b/iu;

/** At a logger's own level for what is in order, a verb of a start. */
const step =
  /(?:\blevel=info\b.{0,20} msg="?|"level": ?"info".{0,120}"msg": ?"|\bINFO\[.{1,40}\] ?|(?:^|[\s:\]])I\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]{1,60}:\d{1,5}\] "?|\[INFO\]\[\d{1,8}\] \S{1,60} \d{1,5}: )(?:start(?:ed|ing)?|running|serving|registered|listening|load(?:ed|ing)|creat(?:ed|ing)|initiali[sz](?:ed|ing)|using|saving|adding|applying|defragmenting|reconcil(?:ed|ing)|caches are synced|wrote|writing|set(?:ting)? up) /iu;

/** What fails from here on fails because everything ends. */
const down =
  /\b(?:triggering|initiating|requesting|performing) (?:a )?(?:reboot|restart of the (?:machine|node|system))\b|\bsystem (?:is going down|is rebooting|will reboot)\b|\bReached target .{0,30}(?:Reboot|Shutdown|Power-Off)\b/iu;

/** In their order; none of a log that is not short: there much else goes well, and what failed is seldom spoken of again. */
export function wellLinesOf(text: string): readonly WellLine[] {
  const lines = text.trimEnd().split("\n");
  if (lines.length > shortLog) return [];
  return lines.flatMap((one, at): readonly WellLine[] => {
    const kind = printed.test(one) ? undefined : kindOf(one, at === lines.length - 1);
    return kind === undefined ? [] : [{ kind, line: at + 1, text: one.trim() }];
  });
}

/** A row of kubectl's list of nodes. */
const readyNode = /^\S{1,253} +Ready +\S{1,90} +\d\S{0,12} +v1\.\d/u;

/** Ansible prints what a command wrote below how it ended, whenever it was written. */
const printed = /^\s{0,8}"?(?:module_)?stdout(?:_lines)?"?: /u;

/** What one expression tells, the most telling first. */
const marks: readonly (readonly [WellLine["kind"], RegExp])[] = [
  ["restart", /restart counter is at /u],
  ["ready", readyNode],
  ["started", started],
];

function kindOf(line: string, isLast: boolean): WellLine["kind"] | undefined {
  const mark = marks.find(([, pattern]) => pattern.test(line));
  if (mark !== undefined) return mark[0];
  if (isLast && young.test(line)) return "attempt";
  if (down.test(line)) return "down";
  if (saysWell(line)) return "well";
  if (isLast && nextAttempt.test(line)) return "wait";
  if (saysAgain(line)) return "again";
  return isStep(line) ? "step" : undefined;
}

export function isStep(line: string): boolean {
  return step.test(line) && errorWeight(line) === undefined;
}

export function saysAgain(text: string): boolean {
  return again.test(text);
}

/** cloud-init's step is done, and nothing was found by it. */
const foundNothing = /: SUCCESS: no\b/u;

function saysWell(line: string): boolean {
  if (foundNothing.test(line)) return false;
  const at = (well.exec(line) ?? okay.exec(line))?.index;
  // A question does not say so.
  if (at === undefined || line.trimEnd().endsWith("?") || notYet.test(line.slice(0, at))) return false;
  return errorWeight(line.replace(/\bfrom (?:the )?previous (?:errors?|failures?)\b/iu, "")) === undefined;
}
