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
  outcome(source: string): KubeadmOutcome;
}

const longestLine = 600;
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
  const restart = (): void => {
    errorBefore = error;
    error = "";
    completed = false;
    begun = false;
  };
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
      } else if (error === "" && isError(line)) error = line.trim().slice(0, longestLine);
    },
    outcome(source) {
      if (completed) return { kind: "completed" };
      if (error === "") return { kind: begun ? "begun" : "unknown" };
      return { kind: "failed", line: error, phase: phaseOf(error), source };
    },
  };
}

/** Could this line be one of kubeadm's that count? Cheap, for the pieces of a long line. */
export function isOfKubeadm(line: string): boolean {
  return holdsOne(line, [...errorWords, resetWords]) || holdsOne(line, attempts) || isSuccess(line);
}

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
