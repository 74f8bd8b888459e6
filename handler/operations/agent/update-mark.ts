import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentContext } from "../context.ts";

/** Longer than the agent gives to all commands of an update together (WALinuxAgent: 900 s each for update and install). */
const believedForMs = 60 * 60 * 1000;

/**
 * During an update the agent runs the *old* version's uninstall after the new version's update: without this mark it
 * would delete the wait that the new version goes on with (agent-side order: disable, update, uninstall, install, enable).
 */
export function markUpdate(context: AgentContext): void {
  writeFileSync(markPath(context), context.host.now().toISOString(), { mode: 0o600 });
}

export function updateInProgress(context: AgentContext): boolean {
  const mark = lstatSync(markPath(context), { throwIfNoEntry: false });
  return mark !== undefined && Math.abs(context.host.now().getTime() - mark.mtimeMs) < believedForMs;
}

export function forgetUpdate(context: AgentContext): void {
  rmSync(markPath(context), { force: true });
}

function markPath(context: AgentContext): string {
  return join(context.instance, "update-in-progress");
}
