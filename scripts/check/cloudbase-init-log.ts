import type { KubeadmOutcome } from "./evidence.ts";
import { followsCause, isOfKubeadm, kubeadmMarks, readKubeadmOutput, type KubeadmReader } from "./kubeadm-output.ts";
import { isBytesLiteral, linesOfBytesLiteral } from "./python-bytes.ts";

/** One run of cloudbase-init (each boot makes one), as its log tells it. Times are local times of an unknown zone. */
export interface CloudbaseRun {
  /** Its first line as it stands in the log, by which it is known again. */
  readonly began: string;
  readonly beganAt?: number;
  /** Empty when the log does not say: it needs the log's debug lines. */
  readonly instance: string;
  readonly userData: "not-reached" | "executed" | "skipped";
  readonly userDataAt?: number;
  /** Was a script or a list of commands of the user's run? */
  readonly ranCommands: boolean;
  /** The last return code of the user's commands. */
  readonly returnCode?: number;
  readonly end: "none" | "done" | "rebooting";
  /** What made the user data's plugin fail, in the log's words. */
  readonly failure: string;
  /** What kept a part of the user data, or all of it, from running. */
  readonly trouble: string;
  readonly kubeadm: KubeadmOutcome;
}

export interface CloudbaseLog {
  /** Oldest first; the first one is incomplete when the log is cut. */
  readonly runs: readonly CloudbaseRun[];
  /** Local time of the newest line that carries one. */
  readonly lastAt?: number;
  /** A line is older than the one before it. */
  readonly clockWentBack: boolean;
  /** It begins with the rest of a run whose beginning is gone, and with it perhaps that of the user data. */
  readonly lacksBeginning: boolean;
}

type Draft = { -readonly [Key in keyof CloudbaseRun]: CloudbaseRun[Key] } & {
  readonly output: KubeadmReader;
  /** The plugin whose lines these are. */
  plugin: string;
};

const own = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/u;
/** Clocks are corrected by seconds all the time. */
const roundingMs = 5000;
/** Time zones lie quarters of an hour apart. */
export const zoneStepMs = 900_000;
const logName = "cloudbase-init.log";
/** In the first line of every run. */
export const beginning = "Cloudbase-Init version:";
/** What keeps user data from running, though cloudbase-init itself goes on and ends well. */
const troubles = [
  "Could not process part type",
  "Processing plugin runcmd failed",
  "Processing plugin write_files failed",
  "An error occurred during user_data execution",
  "An error occurred during runcmd execution",
  "An error occurred during part execution",
  "An error occurred during file execution",
  "Exception during multipart part handling",
  "Unsupported user_data format",
  "No metadata service found",
];

export function readCloudbaseLog(text: string): CloudbaseLog {
  const drafts: Draft[] = [];
  let lastAt: number | undefined;
  let clockWentBack = false;
  for (const line of linesOf(text)) {
    if (!own.test(line)) {
      const draft = drafts.at(-1);
      if (draft !== undefined) readOutput(draft.output, line);
      continue;
    }
    const at = localTime(line);
    clockWentBack ||= at !== undefined && lastAt !== undefined && at < lastAt - roundingMs;
    lastAt = at;
    // What stands before the first beginning is the rest of a run whose beginning was cut off.
    if (line.includes(beginning) || drafts.length === 0) drafts.push(newRun(line));
    const draft = drafts.at(-1);
    if (draft !== undefined) readLine(draft, line);
  }
  const lacksBeginning = drafts[0]?.began.includes(beginning) === false;
  return { runs: drafts.map(finished), clockWentBack, lacksBeginning, ...(lastAt !== undefined && { lastAt }) };
}

function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const at = text.indexOf("\n", from);
    const end = at < 0 ? text.length : at;
    // A power cut leaves a block of zero bytes, and what is written after it stands on the same line.
    yield text.slice(from, end).replace(/\r$/u, "").replaceAll("\0", "");
    from = end + 1;
  }
}

function newRun(line: string): Draft {
  const beganAt = localTime(line);
  return {
    began: line.slice(0, 120),
    ...(beganAt !== undefined && { beganAt }),
    instance: "",
    userData: "not-reached",
    ranCommands: false,
    end: "none",
    failure: "",
    trouble: "",
    kubeadm: { kind: "unknown" },
    plugin: "",
    output: readKubeadmOutput(),
  };
}

function finished({ output, plugin: _, ...run }: Draft): CloudbaseRun {
  return { ...run, kubeadm: output.outcome(logName) };
}

function readOutput(output: KubeadmReader, line: string): void {
  const wanted = { wantsNext: output.wantsNext, isWanted: isOfKubeadm, wantsBefore: followsCause, marks: kubeadmMarks };
  if (isBytesLiteral(line)) for (const inner of linesOfBytesLiteral(line, wanted)) output.read(inner);
  else output.read(line.slice(0, 4096));
}

function readLine(draft: Draft, line: string): void {
  readPlugin(draft, line);
  readCommands(draft, line);
  if (line.includes("Plugins execution done")) draft.end = "done";
  else if (line.endsWith("] Rebooting")) draft.end = "rebooting";
  else if (draft.end === "none" && line.includes(endByException)) readException(draft, line);
  if (draft.trouble !== "" || isOfOtherPlugin(draft)) return;
  const trouble = troubles.find((words) => line.includes(words));
  if (trouble !== undefined) draft.trouble = cut(line, trouble);
}

/** What the program's own frame says when an exception ends it: neither the plugins that were to come nor "done" follow. */
const endByException = " ERROR cloudbaseinit.shell [-] ";

function readException(draft: Draft, line: string): void {
  draft.end = "done";
  if (draft.trouble === "")
    draft.trouble = `cloudbase-init ended: ${line.split(endByException)[1]?.slice(0, 500) ?? ""}`;
}

/** The image's own scripts run by another plugin, and are logged in the same words as those of the user data. */
function isOfOtherPlugin({ plugin }: Draft): boolean {
  return plugin === "LocalScriptsPlugin";
}

function readPlugin(draft: Draft, line: string): void {
  draft.plugin = /Executing plugin '(?<name>\w+)'/u.exec(line)?.groups?.["name"] ?? draft.plugin;
  const instance = /Instance id: (?<id>\S+)/u.exec(line)?.groups?.["id"];
  if (instance !== undefined) draft.instance = instance;
  if (line.includes("Executing plugin 'UserDataPlugin'")) {
    draft.userData = "executed";
    const at = localTime(line);
    if (at !== undefined) draft.userDataAt = at;
    draft.output.restart();
  } else if (line.includes("Plugin 'UserDataPlugin' execution already done")) draft.userData = "skipped";
  else if (line.includes("plugin 'UserDataPlugin' failed with error"))
    draft.failure = cut(line, "plugin 'UserDataPlugin' failed");
}

function readCommands(draft: Draft, line: string): void {
  if (line.includes("Running cloud-config runcmd entries")) draft.ranCommands = true;
  const { words = "", code } = endOfScript.exec(line)?.groups ?? {};
  if (code === undefined || isOfOtherPlugin(draft)) return;
  draft.ranCommands = true;
  draft.returnCode = Number(code) | 0;
  if (endsWell(draft.returnCode) || isRestartCode(draft.returnCode)) return;
  draft.failure = cut(line, words);
}

/** Of a list of commands or a whole script; of a part of several, which is a file. */
const endOfScript = /(?<words>User_data script ended with return|Script "[^"]*" ended with exit) code: (?<code>-?\d+)/u;

/** 1001 to 1003 ask for a restart, or for another run; they are no failure. */
export function endsWell(code: number): boolean {
  return code === 0 || (code >= 1001 && code <= 1003);
}

/** What Windows gives a program that a shutdown ended: DBG_TERMINATE_PROCESS, Ctrl+C, no more start of a DLL. */
export function isRestartCode(code: number): boolean {
  return [0x40010004, 0xc000013a | 0, 0xc0000142 | 0].includes(code);
}

function cut(line: string, words: string): string {
  return line.slice(line.indexOf(words)).trim().slice(0, 600);
}

/** The time at the beginning of a line, as if it were UTC; undefined when no such time exists. */
function localTime(line: string): number | undefined {
  const time = Date.parse(`${line.slice(0, 10)}T${line.slice(11, 19)}Z`);
  return Number.isNaN(time) ? undefined : time;
}
