import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../errors/handler-error.ts";
import type { RunProcess, RunResult } from "../host.ts";
import type { RemovableTarget } from "./find-targets.ts";

/** What removing needs of the world. */
export interface Remover {
  readonly run: RunProcess;
  /** `%SystemRoot%\System32`, where the running system is the machine itself and Windows; else registry and event logs stay. */
  readonly systemFolder?: string;
}

export type Removal =
  { readonly kind: "removed" } | { readonly kind: "absent" } | { readonly kind: "failed"; readonly why: string };

/** Removes one thing; a link that is found is removed itself, and never what it leads to. */
export async function removeTarget(target: RemovableTarget, remover: Remover): Promise<Removal> {
  try {
    switch (target.kind) {
      case "remove":
        rmSync(target.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
        return { kind: "removed" };
      case "empty":
        truncateSync(target.path);
        return { kind: "removed" };
      case "registry":
        return await removeKey(target.name, remover);
      case "event-log":
        return await runSystem(remover, "wevtutil.exe", ["clear-log", target.name]);
    }
  } catch (error) {
    return { kind: "failed", why: errorText(error) };
  }
}

/** `reg.exe` answers 1 for a key that is not there; one that could not be asked for may be there. */
async function removeKey(key: string, remover: Remover): Promise<Removal> {
  const found = await runSystem(remover, "reg.exe", ["query", key]);
  if (found.kind === "failed") return found.code === 1 ? { kind: "absent" } : found;
  return runSystem(remover, "reg.exe", ["delete", key, "/f"]);
}

type Ran =
  | Exclude<Removal, { kind: "absent" | "failed" }>
  | { readonly kind: "failed"; readonly why: string; readonly code?: number };

async function runSystem({ run, systemFolder }: Remover, program: string, args: readonly string[]): Promise<Ran> {
  if (systemFolder === undefined) return { kind: "failed", why: "only the running Windows itself can do that" };
  const result = await run(join(systemFolder, program), args, { timeoutMs: 30_000 });
  if (result.kind === "exited" && result.code === 0) return { kind: "removed" };
  return {
    kind: "failed",
    why: `${program} ${endOf(result)}`,
    ...(result.kind === "exited" ? { code: result.code } : {}),
  };
}

function endOf(result: RunResult): string {
  switch (result.kind) {
    case "exited":
      return `ended with exit code ${String(result.code)}`;
    case "signalled":
      return `was ended by ${result.signal}`;
    case "timed-out":
      return "did not end within 30 s";
    case "not-started":
      return `could not be started: ${result.reason}`;
  }
}
