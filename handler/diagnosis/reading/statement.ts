import type { SourceId } from "../diagnosis.ts";
import { withoutMark } from "../commented.ts";
import { inEnglish } from "../in-english.ts";
import { completed } from "./cut-line.ts";
import {
  programOfForm,
  programOfShell,
  programOfSource,
  programOfSystemd,
  programOfText,
  programOfUnit,
  type Program,
} from "./programs.ts";
import { severityOfName, soundOf, type Severity } from "./severity.ts";
import { taskText } from "./task-text.ts";

/** A log line without the clothes that its program and its log put on it. */
export interface Statement {
  readonly program: Program | undefined;
  readonly severity: Severity;
  /** What is said, quotes unescaped, the chain of wrapped errors at its end. */
  readonly message: string;
}

/** Longest part of a line that is read; the innermost error of a longer one stands at its end. */
const longest = 1500;

export function readStatement(line: string, source: SourceId): Statement {
  const plain = inEnglish(withoutClothes(completed(line)));
  const { rest, unit } = withoutPrefix(plain);
  const spoken = spokenOf(rest);
  const message = withoutArguments(unescaped(spoken.text).trim());
  const program =
    programOfSystemd(message) ??
    programOfForm(plain) ??
    programOfText(message) ??
    programOfShell(message) ??
    programOfText(rest) ??
    programOfUnit(unit ?? "") ??
    programOfSource(source, rest);
  return { program, severity: soundOf(message, spoken.severity, program), message };
}

/** A command is what ran, its arguments are not what the failure is about: "[/opt/init.sh …]", "ExecStart=/usr/bin/x $X_ARGS". */
function withoutArguments(message: string): string {
  return (
    message
      .replaceAll(/\[(?<command>\/[^\s\]]{2,120}) [^\]]{40,600}\]/gu, "[$<command> …]")
      .replaceAll(/(?<command>ExecStart\w{0,8}=\S{2,120})(?: \$\w{2,60})+/gu, "$<command> …")
      .replaceAll(/(?<command>\bProcess: \d{1,8} ExecStart\w{0,8}=\S{2,120}) .{1,900}?(?= \(code=)/gu, "$<command> …")
      // An id of a container is longer than the clause that it stands in.
      .replaceAll(/(?<![\da-f])(?<id>[\da-f]{12})[\da-f]{20,116}(?![\da-f])/gu, "$<id>")
      .replaceAll(/(?<flag>--ignore-preflight-errors)[= ]\S{1,900}/gu, "$<flag>")
      // What an old kubeadm is about to look at.
      .replaceAll(/\bValidating kernel (?:version|config)\b/gu, "")
      .replaceAll(/(?<verb>\b(?:executing|running)) `[^`]{20,900}`/giu, "$<verb> a command")
  );
}

/** A supervisor that logs what its children log wraps a whole line of theirs in one of its own. */
function spokenOf(rest: string): Spoken {
  const outer = recordOf(rest) ?? labelledText(rest);
  if (outer === undefined) return { text: rest };
  const inner = recordOf(withoutPrefix(unwrapped(outer.text).trim()).rest);
  return inner?.severity === undefined ? outer : inner;
}

/** A line with a level of its own: what logging libraries write. */
function recordOf(rest: string): Spoken | undefined {
  return (
    jsonText(rest) ??
    taskText(rest) ??
    logrusText(rest) ??
    passedOnText(rest) ??
    klogText(rest) ??
    boxedText(rest) ??
    packageText(rest) ??
    eventText(rest)
  );
}

/** etcd before 3.4: "W | etcdserver: …". */
function packageText(rest: string): Spoken | undefined {
  const groups = /^(?<level>[DINWEC]) \| (?<text>[\w/-]{2,40}: .+)$/u.exec(rest)?.groups;
  return groups === undefined ? undefined : withSeverity(groups["text"] ?? "", groups["level"]);
}

/** A warning may also be about a start. */
const complains =
  /fail|err|unable|unhealthy|back-?off|invalid|evict|oom|kill|not ?ready|pressure|unknown|missing|denied|refused|timed? ?out|mismatch|cannot|can't|couldn't|not found|taint/iu;

/** Probes that fail before their container listens, and containers that end before what they need is there. */
const startingTimes = 5;

function isOfStart(text: string, times: string | undefined): boolean {
  return (
    /^(?:(?:Readiness|Liveness|Startup) probe failed\b|Back-off restarting failed container)/u.test(text) &&
    Number(times ?? 1) <= startingTimes
  );
}

/** An event as `kubectl describe` shows it: type, reason, age, source, message. */
function eventText(rest: string): Spoken | undefined {
  const groups =
    /^(?<type>Warning|Normal) [A-Z]\w{2,60} (?:<\w+>|\d{1,6}[smhd]\S{0,8})(?: \(x(?<times>\d{1,6}) over \S{1,12}\))? [\w.-]{2,60}(?:, [\w.-]{1,80})? (?<text>.+)$/u.exec(
      rest,
    )?.groups;
  if (groups === undefined) return undefined;
  const text = groups["text"] ?? "";
  const isMeant = groups["type"] === "Warning" && complains.test(rest) && !isOfStart(text, groups["times"]);
  return { text, severity: isMeant ? "error" : "info" };
}

/** calico: "[WARNING][9] startup/startup.go 984: …". */
function boxedText(rest: string): Spoken | undefined {
  const groups = /^\[(?<level>[A-Z]{4,8})\]\[\d{1,8}\] (?<text>.+)$/u.exec(rest)?.groups;
  return groups === undefined ? undefined : withSeverity(groups["text"] ?? "", groups["level"]);
}

interface Spoken {
  readonly text: string;
  readonly severity?: Severity;
}

function withoutClothes(line: string): string {
  const text = line.length > longest ? `${line.slice(0, longest / 3)} … ${line.slice((-longest * 2) / 3)}` : line;
  return withoutMark(text)
    .replaceAll(/\u001B\[[\d;]{0,16}[A-Za-z]/gu, "")
    .replace(/^[│╷╵]\s/u, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

const month = String.raw`[^\s\d]{2,9}|\d{1,2}[^\s\d]{1,3}`;
/** In the place of a host's name: the level of a program that says its module behind it. */
const level = "(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)";
const journalPrefix = new RegExp(
  `^(?:(?:${month}) {1,2}\\d{1,2} [\\d:.]{8,15}|\\d{4}-\\d\\d-\\d\\dT[\\d:.,]{8,18}(?:Z|[+-]\\d\\d:?\\d\\d)?) (?!${level} )\\S{1,253} (?<unit>\\(?[\\w.@/-]{1,64}\\)?)(?:\\[\\d{1,8}\\])?: `,
  "u",
);
const kernelClock = /^\[ *\d{1,8}\.\d{1,6}\] /u;
/** systemd's own words on a console, and a boot log's without a clock. */
const consolePrefix = /^\[? ?(?:FAILED|DEPEND|TIME) ?\]? (?=[A-Z])/u;
const unitPrefix = /^(?<unit>[a-z][\w.-]{1,40})\[\d{1,8}\]: /u;
const datePrefix = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)?\]?:?(?: \d{1,8})?(?: -)? ?/u;

/** What tools put in front of a machine's line: talosctl's node and facility, a quote. */
const toolPrefix =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?: (?=[a-z{]|[IWEF]\d{4} |\d{4}-\d\d-\d\dT\S{8,30} std)|(?:user|kern|daemon|syslog): {1,4}[a-z]{3,8}: (?=\[)|(?:==> )?[\w.-]{2,40}: (?=(?:fatal|failed): \[|E: |Err:\d|error execution phase|\[ERROR )|(?:> )+)/u;

/** Takes the time, the host and the unit off, each as often as one log put it before another's. */
function withoutPrefix(line: string): { readonly rest: string; readonly unit?: string } {
  let rest = line;
  let unit: string | undefined;
  for (let layer = 0; layer < 5; layer++) {
    const match =
      toolPrefix.exec(rest) ??
      journalPrefix.exec(rest) ??
      kernelClock.exec(rest) ??
      consolePrefix.exec(rest) ??
      unitPrefix.exec(rest) ??
      datePrefix.exec(rest);
    if (match === null || match[0] === "") break;
    rest = rest.slice(match[0].length);
    unit = match.groups?.["unit"] ?? unit;
  }
  return unit === undefined ? { rest } : { rest, unit };
}

/** zap, slog, Docker's json-file: what is said stands in msg, its reason in error. */
function jsonText(rest: string): Spoken | undefined {
  if (!rest.startsWith("{")) return undefined;
  const field = (names: string): string | undefined =>
    new RegExp(`"(?:${names})" ?: ?"(?<value>(?:[^"\\\\]|\\\\.){0,1200})`, "iu").exec(rest)?.groups?.["value"];
  const inner = field("log|MESSAGE");
  if (inner !== undefined) {
    const { rest: said } = withoutPrefix(unescaped(inner).replace(/\\n$/u, "").trim());
    return recordOf(said) ?? labelledText(said) ?? { text: said };
  }
  const text = [field("msg|message|event"), field("error|err|cause")].filter((part) => part !== undefined).join(": ");
  if (text === "") return undefined;
  return withSeverity(text, field("level|severity|lvl|L"));
}

/** time="…" level=fatal msg="…" error="…", and slog's text form. */
function logrusText(rest: string): Spoken | undefined {
  const level = /\blevel="?(?<level>[a-z]{4,9})"?\b/iu.exec(rest)?.groups?.["level"];
  if (level === undefined) {
    const short = /^(?<level>FATA|ERRO|WARN|INFO|DEBU|PANI)\[[^\]]{1,40}\] ?(?<text>.*)$/u.exec(rest)?.groups;
    return short === undefined ? undefined : withSeverity(short["text"] ?? "", longName(short["level"]));
  }
  const field = (name: string): string | undefined =>
    new RegExp(
      `\\b${name}=(?:"(?<quoted>(?:[^"\\\\]|\\\\.|"(?=[\\w:/]|\\s\\w+(?!=)\\b(?!=))){1,1200})|(?<bare>[^\\s"]{1,200}))`,
      "iu",
    ).exec(rest)?.groups?.["quoted"];
  const text = [field("msg"), field("error") ?? field("err")].filter((part) => part !== undefined).join(": ");
  return withSeverity(text === "" ? rest : `${quotedBy(rest)}${text}`, level);
}

/** What another program says in front of the record of one that it ran: "[ERROR CRI]: … is not running: output: time=…". */
function quotedBy(rest: string): string {
  const head = /^(?<head>.{12,900}?)(?:: output)?:? time="?\d/u.exec(rest)?.groups?.["head"];
  return head === undefined || !/\bnot\b|\bfail|\berror\b/iu.test(head) ? "" : `${head}: `;
}

function longName(short: string | undefined): string {
  return ({ FATA: "fatal", PANI: "panic", ERRO: "error", WARN: "warning" } as const)[short ?? ""] ?? "info";
}

function partsOf(text: string): { readonly head: string | undefined; readonly error: string | undefined } {
  const head = /^"(?<head>(?:[^"\\]|\\.){1,300})"/u.exec(text)?.groups?.["head"];
  const error = /\berr(?:or)?="(?<error>(?:[^"\\]|\\.){1,1400})/u.exec(text)?.groups?.["error"];
  return { head, error };
}

/** Whoever runs a command on another machine notes at a level of its own what that said. */
function passedOnText(rest: string): Spoken | undefined {
  const text = /^[IWE]\d{4} [^\]]{20,120}\] std(?:err|out) \| (?<text>.+)$/u.exec(rest)?.groups?.["text"];
  return text === undefined ? undefined : { text };
}

/** E0402 08:15:00.120044 1204 run.go:74] "command failed" err="…" */
function klogText(rest: string): Spoken | undefined {
  const groups = /^(?<level>[IWEF])\d{4} [\d:.]{8,15} {1,8}\d{1,9} \S{1,80}\] (?<text>.*)$/u.exec(rest)?.groups;
  if (groups === undefined) return undefined;
  const text = groups["text"] ?? "";
  const { head, error } = partsOf(text);
  // What every Kubernetes program writes in front of the error that ends it.
  if (head === "command failed") return withSeverity(error ?? head, "fatal");
  const said = [head ?? (error === undefined ? text : undefined), error]
    .filter((part) => part !== undefined)
    .join(": ");
  return withSeverity(said, levelBy(head ?? text, groups["level"]));
}

function levelBy(head: string, level: string | undefined): string | undefined {
  return lastWords.test(head) ? "fatal" : level;
}

/** With these the kubelet and flannel end, though they tell them as an error. */
const lastWords =
  /^Failed to (?:run kubelet|load kubelet config file|start ContainerManager)$|^Error fetching backend: /u;

/** "util.py[WARNING]: …", "ERROR ExtHandler …", "4788 ERROR cloudbaseinit.init [-] …", "[ERROR]  …", "CRITICAL : …". */
function labelledText(rest: string): Spoken | undefined {
  const groups =
    /^(?:(?<module>[\w.-]{1,60})\[(?<label>[A-Z]{4,8})\]|(?<word>CRITICAL|FATAL|FATA|ERROR|WARNING|WARN|INFO|DEBUG|VERBOSE)|\[(?<box>error|fatal|warn|warning|info)\])(?=[\s:]|$)(?<text>.*)$/iu.exec(
      rest,
    )?.groups;
  if (groups === undefined) return undefined;
  // Whom cloud-init asks for its data is named in front of what went wrong with it.
  const source = /^DataSource[A-Z]\w{1,30}/u.exec(groups["module"] ?? "")?.[0];
  return withSeverity(
    `${source === undefined ? "" : `${source}: `}${(groups["text"] ?? "").replace(/^[\s:]{1,20}/u, "")}`,
    groups["label"] ?? groups["word"] ?? groups["box"],
  );
}

function withSeverity(text: string, name: string | undefined): Spoken {
  const severity = severityOfName(name);
  return severity === undefined ? { text } : { text, severity };
}

/** The text of a record as its program wrote it: what was quoted in it stays quoted. */
function unwrapped(text: string): string {
  return text.replaceAll(/\\(?<sign>["\\])/gu, "$<sign>").replaceAll(/\\{1,4}[nrt]/gu, " ");
}

/** Quotes and line ends as they were before the line was put into JSON, once or twice. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\{1,7}(?=["'`])/gu, "").replaceAll(/\\{1,4}[nrt]/gu, " ");
}
