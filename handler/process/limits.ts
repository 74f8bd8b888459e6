import { readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { ProcessLimits } from "../host.ts";

const oomFile = "/proc/self/oom_score_adj";

export function ownLimits(): ProcessLimits {
  const oomScore = readOomScore();
  return { nice: getPriority(), ...(oomScore === undefined ? {} : { oomScore }) };
}

/**
 * Runs `start`, which must start its child before it returns, with the limits that the child shall inherit. So there is no moment
 * in which the child, or what it starts at once, has ours; a wrapper program would do the same with one process more.
 */
export function withLimits<T>(limits: ProcessLimits | undefined, start: () => T): T {
  if (limits === undefined) return start();
  const own = ownLimits();
  try {
    apply(limits);
    return start();
  } finally {
    apply(own);
  }
}

/** Only root may go up again; as another user the child keeps our limits. */
function apply({ nice, oomScore }: ProcessLimits): void {
  try {
    setPriority(nice);
  } catch {
    // Not permitted: the child is only slower.
  }
  try {
    if (oomScore !== undefined) writeFileSync(oomFile, String(oomScore));
  } catch {
    // Not permitted: the child only goes first when memory runs out.
  }
}

function readOomScore(): number | undefined {
  try {
    return Number(readFileSync(oomFile, "utf8"));
  } catch {
    return undefined;
  }
}
