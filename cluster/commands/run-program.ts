import { spawn } from "node:child_process";

export type ProgramResult =
  | { readonly kind: "ended"; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** Stopped after `afterMs`, without an answer. */
  | { readonly kind: "late"; readonly afterMs: number }
  /** Stopped because our own program was asked to end. */
  | { readonly kind: "stopped" };

export type RunProgram = (command: readonly [string, ...string[]], signal: AbortSignal) => Promise<ProgramResult>;

/** Longer than kubectl takes for a list of 5,000 Machines over a slow line. */
const longestMs = 120_000;

/** Runs kubectl, whose configuration, logins and proxies are the person's own. Rejects where it cannot be started. */
export function runProgram(
  command: readonly [string, ...string[]],
  signal: AbortSignal,
  afterMs = longestMs,
): Promise<ProgramResult> {
  if (signal.aborted) return Promise.resolve({ kind: "stopped" });
  const [file, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const late = AbortSignal.timeout(afterMs);
    const over = AbortSignal.any([signal, late]);
    const stop = () => {
      child.kill();
      // What it has started (a helper for the login) may hold the pipes open longer than it lives.
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
      child.unref();
      resolve(signal.aborted ? { kind: "stopped" } : { kind: "late", afterMs });
    };
    over.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    child.once("close", (code) => {
      over.removeEventListener("abort", stop);
      resolve({ kind: "ended", code: code ?? 1, stdout, stderr });
    });
  });
}
