import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentContext } from "./context.ts";

/**
 * `disable` and `uninstall` can come before the supervisor that `enable` has just started holds its lock (a busy machine needs
 * seconds to start it), and then find nobody to stop. They leave this mark first and look for the lock second; the supervisor
 * takes the lock first and looks for the mark second: so one of the two sees the other.
 */
export function markStopped(context: AgentContext): void {
  try {
    writeFileSync(markPath(context), "", { mode: 0o600 });
  } catch (error) {
    context.log.warn(`A supervisor that is being started cannot be told to end: ${String(error)}`);
  }
}

export function isStopped(context: AgentContext): boolean {
  return existsSync(markPath(context));
}

export function forgetStopped(context: AgentContext): void {
  rmSync(markPath(context), { force: true });
}

function markPath(context: AgentContext): string {
  return join(context.instance, "stopped");
}
