import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { capzCommand } from "../../scripts/dev/start/capz-command.ts";
import { costOf, type ProcessCost } from "./bench-node.ts";

interface LoopEnd {
  readonly code: number | null;
  /** Everything that it printed: the platform shows no more of it. */
  readonly output: string;
  /** As the kernel counted it last, at most a second before the end; memory with that of the largest child. */
  readonly cost: ProcessCost;
}

/** CAPZ's own loop at work under `sh`. */
export interface CapzLoop {
  readonly ended: Promise<LoopEnd>;
}

export function startCapzLoop(root: string): CapzLoop {
  const child = spawn("/bin/sh", ["-c", capzCommand(root)], { stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("CAPZ's loop cannot be started: there is no /bin/sh");
  let cost: ProcessCost = { cpuSeconds: 0, peakMiB: 0 };
  const sample = setInterval(() => {
    cost = costNow(pid) ?? cost;
  }, 500);
  const finish = async (): Promise<LoopEnd> => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    clearInterval(sample);
    return { code: child.exitCode, output: stdout + stderr, cost };
  };
  return { ended: finish() };
}

/** Undefined when the process has ended; a dead one that nobody has waited for has no memory any more. */
function costNow(pid: number): ProcessCost | undefined {
  try {
    const shell = costOf(pid);
    if (Number.isNaN(shell.peakMiB)) return undefined;
    const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8")
      .trim()
      .split(" ");
    const peaks = children.filter(Boolean).map((child) => costOf(Number(child)).peakMiB);
    return { ...shell, peakMiB: shell.peakMiB + Math.max(0, ...peaks.filter((peak) => !Number.isNaN(peak))) };
  } catch {
    return undefined;
  }
}
