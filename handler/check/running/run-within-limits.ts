import { dirname } from "node:path";
import type { Host, ProcessExit, ProcessLimits } from "../../host.ts";
import type { ProcessTree } from "../../platform/platform.ts";
import { exceedsOutputLimit, keepEndOf } from "./output-limit.ts";
import { whenAborted } from "./when-aborted.ts";

/** Bytes of output, both streams together, over which a check is ended. */
const maxOutputBytes = 64 * 1024 * 1024;

export interface ProcessRequest {
  readonly host: Pick<Host, "env" | "platform" | "sleep" | "startProcess" | "run">;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Added to our own environment, or to `callerEnv`. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment of a user's command: the guest agent's, not ours. */
  readonly callerEnv?: Readonly<Record<string, string | undefined>>;
  /** Priority of a user's command: the guest agent's, not our low one. */
  readonly limits?: ProcessLimits;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Value of CAPZ_BOOTSTRAP_RUN, by which every process of the check is found again, also after a crash of ours. */
  readonly marker: string;
  readonly graceMs: number;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
  readonly maxOutputBytes?: number;
}

export type ProcessEnd =
  | { readonly kind: "exited"; readonly exit: ProcessExit }
  | { readonly kind: "time-limit"; readonly stillRunning: readonly string[] }
  | { readonly kind: "aborted" }
  | { readonly kind: "output-limit" };

/** Runs one program to its end, its time limit, its output limit or the abort; in the last three its whole tree is ended. */
export async function runWithinLimits(request: ProcessRequest): Promise<ProcessEnd> {
  const { host } = request;
  const done = new AbortController();
  const started = host.startProcess({
    argv: request.argv,
    cwd: request.cwd,
    env: { ...(request.callerEnv ?? host.env), ...request.env, CAPZ_BOOTSTRAP_RUN: request.marker },
    stdoutFile: request.stdoutFile,
    stderrFile: request.stderrFile,
    ownSession: host.platform.name !== "windows",
    ...(request.limits === undefined ? {} : { limits: request.limits }),
  });
  const { pid, exited } = started;
  if (pid !== undefined) {
    host.platform.noteProcess?.({ marker: request.marker, pid, folder: dirname(request.stdoutFile), exited });
  }
  const cause = await Promise.race([
    started.exited,
    host.sleep(request.timeLimitMs, done.signal).then(() => "time-limit" as const),
    whenAborted(request.signal, done.signal).then(() => "aborted" as const),
    exceedsOutputLimit({
      host,
      files: [request.stdoutFile, request.stderrFile],
      maxBytes: request.maxOutputBytes ?? maxOutputBytes,
      done: done.signal,
    }).then(() => "output-limit" as const),
  ]);
  done.abort();
  if (typeof cause !== "string") return { kind: "exited", exit: cause };
  const tree = {
    marker: request.marker,
    graceMs: request.graceMs,
    ...(started.pid === undefined ? {} : { leader: started.pid }),
  };
  return await endTree(request, tree, cause);
}

async function endTree(
  { host, stdoutFile, stderrFile }: ProcessRequest,
  tree: ProcessTree,
  cause: "time-limit" | "aborted" | "output-limit",
): Promise<ProcessEnd> {
  switch (cause) {
    case "time-limit": {
      const stillRunning = (await host.platform.describeTree?.(tree, host.run)) ?? [];
      await host.platform.killTree(tree, host.run);
      return { kind: cause, stillRunning };
    }
    case "aborted":
      await host.platform.killTree(tree, host.run);
      return { kind: cause };
    case "output-limit":
      // No grace: every further second could fill the disk.
      await host.platform.killTree({ ...tree, graceMs: 0 }, host.run);
      await keepEndOf(stdoutFile);
      await keepEndOf(stderrFile);
      return { kind: cause };
  }
}
