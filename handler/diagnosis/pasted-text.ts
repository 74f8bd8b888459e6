import { commentMark, withoutMark } from "./commented.ts";
import { errorOfTrace } from "./error-trace.ts";
import { foldedScalar } from "./folded-scalar.ts";
import { openStatement } from "./open-statement.ts";
import { programOfOrigin, programOfUnit, type Program } from "./reading/programs.ts";
import { unitState } from "./unit-status.ts";
import type { JoinedLine, LineRange } from "./unwrap.ts";

/** Whose lines follow: a bundle's heading, or the command that showed them. */
export interface Speaker {
  /** From 1. */
  readonly line: number;
  /** Undefined where another command's output begins. */
  readonly program: Program | undefined;
  /** What stood above it is a log of its own; a trace is a part of the log that it stands in. */
  readonly isBoundary: boolean;
}

/** "==> kubelet <==", "* ==> etcd [8d2f] <==", "==> /var/log/pods/…/kube-apiserver/0.log <==". */
const heading = /^(?:\* )?==> (?<name>\S{2,300})(?: \[\w{4,64}\])? <==/u;
/** A shell's prompt, its trace, or a command that is seldom anything else. */
const prompt =
  /^PS [A-Z]:\\[^>\n]{0,90}> ?\w|^\[?\w[\w.-]{0,40}@\w|^[#$] |^\+{1,3} (?=[\w/.]{2})|^(?:sudo|kubectl|crictl|journalctl|systemctl) /u;
/** Commands that show what others said, those of containers where they are asked for logs. */
const shows: ReadonlySet<string> = new Set(["journalctl", "systemctl", "cat", "tail", "less"]);
const showsLogs: ReadonlySet<string> = new Set(["kubectl", "talosctl", "crictl", "nerdctl", "docker", "podman"]);

/** The headings and commands of a text in which several logs stand one behind the other. */
export function speakersOf(text: string): readonly Speaker[] {
  return text.split("\n").flatMap((line, at) => {
    const name = heading.exec(line)?.groups?.["name"];
    if (name !== undefined) return [{ line: at + 1, program: programOfName(name), isBoundary: true }];
    const said = withoutMark(line);
    if (!prompt.test(said)) return [];
    const program = programOfCommand(said.slice(0, longestCommand));
    return [{ line: at + 1, program, isBoundary: !said.startsWith("+") }];
  });
}

const longestCommand = 500;
/** What runs another: who speaks is that one. */
const caller = /^(?:sudo|-E|env|nohup|time|bash|sh|python[23]?)$/u;
/** What a command is given in its environment. */
const setsVariable = /^[A-Z][A-Z_]{2,39}=/u;

function programOfCommand(line: string): Program | undefined {
  const asked = Math.max(...["# ", "$ ", "> "].map((sign) => line.indexOf(sign)));
  const words = line
    .slice(asked + 1)
    .trim()
    .split(/\s+/u)
    .filter((word) => !setsVariable.test(word))
    .flatMap((word) => word.split("="))
    .filter((word) => !caller.test(word) && !/^\+{1,3}$/u.test(word));
  const [command = "", ...others] = words;
  if (shows.has(command) || (showsLogs.has(command) && others.includes("logs"))) {
    return others.map(programOfName).find((program) => program !== undefined);
  }
  return showsLogs.has(command) ? undefined : programOfName(command);
}

function programOfName(name: string): Program | undefined {
  const base = name.replace(/^.*\//u, "").replace(/^k8s_/u, "");
  return programOfOrigin(name) ?? programOfUnit(base);
}

/** Of whom a line is that does not say so itself. */
export function speakerAt(speakers: readonly Speaker[], line: number): Program | undefined {
  return speakers.findLast((one) => one.line < line)?.program;
}

/** The line with which the next log begins, where several stand one behind the other. */
export function nextLogAfter(speakers: readonly Speaker[], line: number): number | undefined {
  return speakers.find((one) => one.isBoundary && one.line > line)?.line;
}

/** What one command showed, below the line of it; `from` is the line of the body's first, from 1. */
export interface PastedPart {
  readonly head: string;
  readonly from: number;
  readonly body: readonly string[];
}

/** `also` is the form of further lines with which a part begins. */
export function partsOf(lines: readonly string[], also: RegExp): readonly PastedPart[] {
  const heads = new Set(speakersOf(lines.join("\n")).flatMap(({ isBoundary, line }) => (isBoundary ? [line] : [])));
  const starts = [0, ...lines.flatMap((line, at) => (heads.has(at + 1) || also.test(line) ? [at + 1] : []))];
  return starts.map((start, at) => ({
    head: lines[start - 1] ?? "",
    from: start + 1,
    body: lines.slice(start, (starts[at + 1] ?? lines.length + 1) - 1),
  }));
}

const mostOfBlock = 14;
const mostOfRecord = 6;

/** Each puts together what begins at a line, if it is of its kind. */
const blocks: readonly ((
  lines: readonly string[],
  line: string,
  at: number,
) => JoinedLine | readonly JoinedLine[] | undefined)[] = [
  unitState,
  usageError,
  placedPanic,
  aptError,
  errorOfTrace,
  tracedError,
  triedTask,
  endedByHand,
  brokenRecord,
  brokenColumn,
  oldPreflight,
  foldedScalar,
  openStatement,
];

/** What is one statement on several lines: a unit's status, and an error before the usage of its command. */
export function joinBlocks(text: string): readonly JoinedLine[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/u, "").replace(commentMark, ""));
  return lines.flatMap((line, at) => {
    for (const block of blocks) {
      const joined = block(lines, line, at);
      if (joined !== undefined) return joined;
    }
    return [];
  });
}

/** What apt could not get, and below it why. */
function aptError(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const reason = lines[at + 1] ?? "";
  if (!/^Err ?:\d{1,3} /u.test(line) || !/^ {1,4}\S/u.test(reason)) return undefined;
  return { from: at + 1, to: at + 2, text: `${line.trim()} ${reason.trim()}`, certain: true };
}

const mostOfPanic = 24;
/** A frame in a program's own files: neither Go's, nor a library's that it brought along. */
const ownFrame = /^\s+(?<file>\/(?!usr\/(?:local|lib)\/go)\S{3,200}\.go:\d{1,5})(?: \+0x[\da-f]{1,8})?$/u;

/** A panic does not say whose it is; the first frame below it in its program's own files does. */
function placedPanic(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!/^panic: \S/u.test(line)) return undefined;
  const frames = lines.slice(at + 1, at + 1 + mostOfPanic);
  const index = frames.findIndex((one) => ownFrame.test(one) && !/\/vendor\/|\/pkg\/mod\//u.test(one));
  const file = ownFrame.exec(frames[index] ?? "")?.groups?.["file"];
  if (file === undefined) return undefined;
  return { from: at + 1, to: at + 2 + index, text: `${line.trim()} in ${file}`, certain: false };
}

/** A record of the runtime's container log that a page broke: it ends where its brace is closed. */
function brokenRecord(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!line.startsWith('{"log":"') || line.endsWith("}")) return undefined;
  const pieces = lines.slice(at + 1, at + 1 + mostOfRecord);
  const end = pieces.findIndex((one) => /"time":"[^"]{10,40}"\}$/u.test(one));
  if (end === -1 || pieces.slice(0, end + 1).some((one) => one.startsWith("{"))) return undefined;
  return { from: at + 1, to: at + 2 + end, text: [line, ...pieces.slice(0, end + 1)].join(""), certain: false };
}

/** A table of events whose last column was broken: what belongs to it is put below its head. */
function brokenColumn(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const head = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4} {1,4}\d{1,2}:\d\d:\d\d (?:[AP]M )?\s*(?=\S)/u.exec(line)?.[0];
  if (head === undefined) return undefined;
  const pieces = lines.slice(at + 1, at + 1 + mostOfRecord);
  const end = pieces.findIndex((one) => !/^\s+\S/u.test(one) || one.search(/\S/u) < head.length);
  const own = end === -1 ? pieces : pieces.slice(0, end);
  if (own.length === 0) return undefined;
  const text = [line, ...own].map((one) => one.trim()).join(" ");
  return { from: at + 1, to: at + 1 + own.length, text, certain: true };
}

/** `cloud-init status` lists what it has got over, below its verdict (--long) or above it (YAML, JSON). */
export function recoveredRanges(text: string): readonly LineRange[] {
  if (!text.includes("recoverable_errors")) return [];
  const ranges: LineRange[] = [];
  let block: string[] = [];
  for (const [at, line] of [...text.split("\n"), ""].entries()) {
    if (!isEndOfStatus(line)) {
      block.push(line);
      continue;
    }
    if (endedWell(block)) ranges.push(...listsIn(block, at - block.length));
    block = [];
  }
  return ranges;
}

/** Another verdict that stands with the list, perhaps of another time, must be as good. */
function endedWell(block: readonly string[]): boolean {
  const said = block.flatMap((line) => /^[\s"{]{0,8}status"?: "?(?<word>\w+)/u.exec(line)?.groups?.["word"] ?? []);
  return said.length > 0 && said.every((word) => word === "done");
}

/** `before`: how many lines stand before the block. */
function listsIn(block: readonly string[], before: number): readonly LineRange[] {
  const lists: LineRange[] = [];
  let isEntry: ((line: string) => boolean) | undefined;
  for (const [at, line] of block.entries()) {
    const number = before + at + 1;
    const last = lists.at(-1);
    if (last !== undefined && isEntry !== undefined && (isLevel(line) || isEntry(line))) {
      lists[lists.length - 1] = { from: last.from, to: number };
      continue;
    }
    const quote = /^\W{0,16}recoverable_errors(?<quote>"?):/u.exec(line)?.groups?.["quote"];
    isEntry = quote === undefined ? undefined : quote === "" ? isOfList : isOfJson;
    if (quote !== undefined) lists.push({ from: number, to: number });
  }
  return lists;
}

function isEndOfStatus(line: string): boolean {
  return /^\s*$|^---/u.test(line) || prompt.test(line) || heading.test(line);
}

function isLevel(line: string): boolean {
  return /^\s*"?(?:WARNING|ERROR|DEPRECATED|CRITICAL|INFO)"?:/u.test(line);
}

function isOfList(line: string): boolean {
  return /^\s*- /u.test(line);
}

/** A whole text, or the end of a list: a log's own JSON is more. */
function isOfJson(line: string): boolean {
  return /^\s*(?:"(?:[^"\\]|\\.)*"|[\]}]),?\s*$/u.test(line);
}

/** Until 1.8 kubeadm listed its failed checks without a mark. */
function oldPreflight(lines: readonly string[], line: string, at: number): readonly JoinedLine[] | undefined {
  if (!/^(?:\[preflight\] Some fatal errors occurred|preflight check errors):$/u.test(line)) return undefined;
  const listed = lines.slice(at + 1, at + 1 + mostOfBlock);
  const end = listed.findIndex((one) => !/^\s+(?!\[)\S/u.test(one));
  return (end === -1 ? listed : listed.slice(0, end)).map((one, index) => {
    const place = at + 2 + index;
    return { from: place, to: place, text: `${line} ${one.trim()}`, certain: false };
  });
}

/** Who advises to look at the stack trace of an error is kubeadm; the error above its advice does not say so. */
function tracedError(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const advice = (lines[at + 1] ?? "").trim();
  if (!advice.startsWith("To see the stack trace of this error execute")) return undefined;
  if (
    !/^(?:error: )?(?:accepts|requires?|required|unknown|invalid|couldn't|failed|unable|cannot|can't|can not) /iu.test(
      line,
    )
  )
    return undefined;
  return { from: at + 1, to: at + 2, text: `${line.trim()} ${advice}`, certain: false };
}

const mostBehind = 40;

/** Ansible gives a task up, and its end does not say why: its name alone says what it was about. */
function triedTask(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!line.includes("FAILED - RETRYING: ") || !line.trimEnd().endsWith(" (1 retries left).")) return undefined;
  const behind = lines.slice(at + 1, at + 1 + mostBehind);
  const end = behind.find((one) => /^fatal: \[|\bfailed=[1-9]/u.test(one.trim()));
  if (end === undefined || /"(?:stderr|msg)": "(?!non-zero return code|")/u.test(end)) return undefined;
  return { from: at + 1, to: at + 1, text: `${line.trim()} Error: gave up waiting`, certain: false };
}

/** kubeadm waits for something that somebody gave up on: the terminal shows the key that ended it. */
function endedByHand(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const key = lines.slice(at + 1, at + 4).find((one) => one.trim() !== "");
  if (!/^\s{0,4}\^[CZ\\]/u.test(key ?? "") || !/^\[[a-z-]{3,30}\] |^\t?This (?:can|might|often) take/u.test(line))
    return undefined;
  return { from: at + 1, to: at + 1, text: `${line.trimEnd()} ${ended}`, certain: false };
}

const ended = "(ended by hand)";

/** "Error: accepts at most 1 arg(s), received 2", "Usage:", "  kubeadm join …"; "unknown flag: --x", "Usage of kube-apiserver:". */
function usageError(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const usage = (lines[at + 1] ?? "").trim();
  if (/^unknown (?:shorthand )?flag: /u.test(line) && usage.startsWith("Usage of "))
    return { from: at + 1, to: at + 2, text: `${line} ${usage}`, certain: false };
  if (!/^(?:Error: \S|unknown (?:shorthand )?flag: )/u.test(line) || usage !== "Usage:") return undefined;
  return { from: at + 1, to: at + 3, text: `${line} Usage: ${(lines[at + 2] ?? "").trim()}`, certain: false };
}
