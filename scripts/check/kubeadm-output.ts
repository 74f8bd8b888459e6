import type { KubeadmOutcome } from "./evidence.ts";

/**
 * Reads what kubeadm printed, line by line, and remembers how its newest attempt ended. Its words: "error execution phase
 * PHASE: …" from its runner, "[ERROR Name]: …" from preflight, "error: …" and "not found" before it begins; at the very end
 * of a success "This node has joined the cluster" or "Your Kubernetes control-plane has initialized successfully!".
 */
export interface KubeadmReader {
  read(line: string): void;
  /** A new run of the user's commands begins: what was said before is of an older one. */
  restart(): void;
  /** The next line may belong to the error that was read last, whatever its words. */
  wantsNext(): boolean;
  outcome(source: string): KubeadmOutcome;
}

const longestLine = 600;
/** So many lines behind one that ends in a colon are quoted with it. */
const mostDetails = 4;
const errorWords = ["error execution phase", "[ERROR ", "error:", "not found", "is not recognized"];
const attempts = ["[preflight] Running pre-flight checks", "[init] Using Kubernetes version"];
const successes = ["This node has joined the cluster", "Your Kubernetes control-plane has initialized successfully"];
/** CABPK's script for joins that are tried again runs kubeadm phase by phase; this is its own last word. */
const scriptWords = "cluster.x-k8s.io kubeadm bootstrap script ";
/** kubeadm reset runs pre-flight checks of its own, in the same words: what it cleans up after had failed before. */
const resetWords = "[reset] ";

/** Nothing after a success counts but a reset: in cloudbase-init's log standard error follows all of standard output, and may be older than it. */
export function readKubeadmOutput(): KubeadmReader {
  let error = "";
  let errorBefore = "";
  let completed = false;
  let begun = false;
  let details = readDetails("");
  let before = readBefore();
  const restart = (): void => {
    errorBefore = words();
    error = "";
    details = readDetails("");
    before = readBefore();
    completed = false;
    begun = false;
  };
  const words = (): string => [error, ...details.found()].join(" ").replaceAll(/\s+/gu, " ").slice(0, longestLine);
  return {
    restart() {
      restart();
      errorBefore = "";
    },
    read(line) {
      if (line.startsWith(resetWords)) {
        if (error === "") error = errorBefore;
        completed = false;
      } else if (isSuccess(line)) {
        completed = true;
        error = "";
        errorBefore = "";
      } else if (completed) {
        // What a later command of kubeadm's says is not of the node: a phase that was run again, an upgrade.
      } else if (holdsOne(line, attempts)) {
        restart();
        begun = true;
      } else if (error === "" && isError(line)) {
        error = isBarePhase(line) ? [line.trim(), ...before.cause()].join(": ") : line.trim();
        details = readDetails(error);
      } else if (error === "") before.read(line);
      else details.read(line);
    },
    wantsNext: () => details.isOpen(),
    outcome(source) {
      if (completed) return { kind: "completed" };
      if (error === "") return { kind: begun ? "begun" : "unknown" };
      return { kind: "failed", line: words(), phase: phaseOf(error), source };
    },
  };
}

interface Details {
  read(line: string): void;
  isOpen(): boolean;
  found(): readonly string[];
}

/** What stands behind them is advice. */
const adviceWords = [
  "To see the stack trace",
  "[preflight] If you know what you are doing",
  "Please ensure that",
  "Cloud-init v.",
];

/** An error that ends in a colon says nothing by itself: what it means stands on the lines behind it. So does more than one "[ERROR …]". */
function readDetails(error: string): Details {
  const errorsAlone = error.includes("[ERROR ") || error.endsWith("fatal errors occurred:");
  const found: string[] = [];
  let isOpen = errorsAlone || error.endsWith(":");
  return {
    read(line) {
      const text = line.trim();
      if (!isOpen || text === "" || text.includes("[WARNING ")) return;
      const isOfIt = errorsAlone ? text.includes("[ERROR ") : !holdsOne(text, adviceWords) && !isFrame(line);
      isOpen = isOfIt && found.length + 1 < mostDetails;
      if (isOfIt) found.push(errorsAlone ? text.slice(text.indexOf("[ERROR ")) : text);
    },
    isOpen: () => isOpen,
    found: () => found,
  };
}

interface Before {
  read(line: string): void;
  cause(): readonly string[];
}

/** With --v=5 the phase stands alone, with a stack behind it, and its cause before it: either right there, or above the first stack. */
function readBefore(): Before {
  let last = "";
  let aboveStack = "";
  return {
    read(line) {
      if (isFrame(line)) aboveStack ||= last;
      else if (line.trim() !== "") last = line.trim();
    },
    cause: () => [aboveStack || last].filter((text) => text !== "" && !text.startsWith("[")),
  };
}

/** A line of a Go stack: a function of kubeadm's, of its runtime, or the file below it. */
function isFrame(line: string): boolean {
  return /^(?:\t|\\t|\s{2,8})\/|^(?:k8s\.io|github\.com)\/[^ ]{1,200}$|^(?:runtime|main)\.\w{1,40}\s{0,2}$/u.test(line);
}

/** "error execution phase kubelet-start", and nothing more. */
function isBarePhase(line: string): boolean {
  const phase = phaseOf(line);
  return phase !== "" && line.trimEnd().endsWith(`error execution phase ${phase}`);
}

/** The line before this one tells the cause (an escaped line, in which the end of a Windows line may stand as letters). */
export function followsCause(escaped: string): boolean {
  const line = escaped.replace(/(?:\\r)?$/u, "");
  return isFrame(line) || isBarePhase(line);
}

/** Could this line be one of kubeadm's that count? Cheap, for the pieces of a long line. */
export function isOfKubeadm(line: string): boolean {
  return holdsOne(line, [...errorWords, resetWords]) || holdsOne(line, attempts) || isSuccess(line);
}

const ownWords = [...errorWords, resetWords, ...attempts, ...successes, scriptWords];

/** What is found in each line that is one of kubeadm's, or that tells of the line before it; a frame's from the `\n` of the line before it on. */
export const kubeadmMarks = new RegExp(
  String.raw`${ownWords.map((words) => words.replaceAll(/[[\].]/gu, String.raw`\$&`)).join("|")}|\\n(?:(?:\t|\\t|\s{2,8})/|(?:k8s\.io|github\.com)/|(?:runtime|main)\.)`,
  "gu",
);

function isSuccess(line: string): boolean {
  return holdsOne(line, successes) || (line.includes(scriptWords) && line.trimEnd().endsWith(" finished"));
}

function isError(line: string): boolean {
  if (line.includes("error execution phase") || line.includes("[ERROR ")) return true;
  if (line.startsWith("error:")) return true;
  // A shell's words for a program that is not there; Windows says them in its own language.
  return (
    (line.includes("kubeadm: ") && line.includes("not found")) || /'kubeadm(?:\.exe)?' is not recognized/u.test(line)
  );
}

function phaseOf(line: string): string {
  const at = line.indexOf("error execution phase ");
  return at < 0 ? "" : (line.slice(at + "error execution phase ".length).split(/[:\s]/u, 1)[0] ?? "");
}

function holdsOne(line: string, words: readonly string[]): boolean {
  return words.some((word) => line.includes(word));
}
