import type { RunProcess } from "../host.ts";
import type { ProcessTree } from "./platform.ts";
import { readProcessTable, treeMembers, type ProcessEntry } from "./process-tree-linux.ts";

/** How long processes may take to vanish after SIGKILL (one in an uninterruptible read cannot be ended at all). */
const killWaitMs = 5000;
const stepMs = 20;

/**
 * Ends a check and everything it started. A process group alone would miss children that called setsid, so the marker in
 * the environment, the leader's session and the parent links are all followed, and the search is repeated until nothing
 * is found: a process that forks while it is being ended is caught in the next round.
 */
export async function killTree(tree: ProcessTree, _run?: RunProcess): Promise<void> {
  const asked = new Set<string>();
  // By the clock: on a busy machine each look at all processes takes many times a step.
  const end = performance.now() + tree.graceMs;
  while (performance.now() < end) {
    const members = treeMembers(readProcessTable(), tree);
    if (members.length === 0) return;
    for (const member of members) {
      const key = `${String(member.pid)}@${member.startTime}`;
      // Each process is asked once: a second SIGTERM makes some programs skip their clean-up.
      if (!asked.has(key)) signal(member, "SIGTERM");
      asked.add(key);
    }
    await sleep(stepMs);
  }
  for (let waited = 0; waited < killWaitMs; waited += stepMs) {
    const members = treeMembers(readProcessTable(), tree);
    if (members.length === 0) return;
    for (const member of members) signal(member, "SIGKILL");
    await sleep(stepMs);
  }
}

export function isTreeGone(marker: string): Promise<boolean> {
  return Promise.resolve(treeMembers(readProcessTable(), { marker, graceMs: 0 }).length === 0);
}

/** "kubeadm for 74 s", longest first; names only, since secrets may stand in arguments. */
export function describeTree(tree: ProcessTree, _run?: RunProcess): Promise<readonly string[]> {
  const table = readProcessTable();
  const members = treeMembers(table, tree).filter((member) => member.pid !== tree.leader);
  const shown = members.length > 0 ? members : treeMembers(table, tree);
  return Promise.resolve(
    shown
      .toSorted((a, b) => b.runningSeconds - a.runningSeconds)
      .slice(0, 10)
      .map((member) => `${member.name} (pid ${String(member.pid)}) for ${String(Math.round(member.runningSeconds))} s`),
  );
}

/** The start time is read again right before the signal, so that a reused pid is never hit. */
function signal(member: ProcessEntry, name: "SIGTERM" | "SIGKILL"): void {
  if (!member.isStillTheSame()) return;
  try {
    process.kill(member.pid, name);
    // A stopped process does not act on SIGTERM before it continues.
    if (name === "SIGTERM" && member.state === "T") process.kill(member.pid, "SIGCONT");
  } catch {
    // Already gone.
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
