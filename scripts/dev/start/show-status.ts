import { setTimeout as pause } from "node:timers/promises";
import type { AgentPlayer, SeenStatus } from "./agent-player.ts";
import type { Terminal } from "./terminal.ts";

const lookEveryMs = 50;

export type Say = (line: string) => void;

/** Prints each status the moment it is on disk, until the signal aborts. */
export async function showStatuses(agent: AgentPlayer, sequence: number, watch: Watch): Promise<void> {
  let shown = "";
  for (;;) {
    const status = agent.status(sequence);
    const line = status === undefined ? "" : `${status.kind.padEnd(13)} ${status.message.split("\n", 1)[0] ?? ""}`;
    if (line !== "" && line !== shown) watch.say(line);
    shown = line;
    if (watch.signal.aborted) return;
    await pause(lookEveryMs);
  }
}

interface Watch {
  readonly say: Say;
  readonly signal: AbortSignal;
}

/** The status once it satisfies the condition. */
export async function statusThat(
  agent: AgentPlayer,
  sequence: number,
  satisfies: (status: SeenStatus) => boolean,
): Promise<SeenStatus> {
  for (;;) {
    const status = agent.status(sequence);
    if (status !== undefined && satisfies(status)) return status;
    await pause(lookEveryMs);
  }
}

/** What an operator finds in the portal, the CLI and `kubectl describe azuremachine`. */
export function showForOperator(status: SeenStatus, { say, sayColoured }: Terminal): void {
  say("");
  sayColoured("bold", "What the operator sees:");
  const [first = "", ...rest] = status.message.split("\n");
  sayColoured(status.kind === "success" ? "green" : "red", `  | ${first}`);
  for (const line of rest) say(`  | ${line}`);
  say(`  Substatuses: ${Object.keys(status.substatuses).join(", ")}`);
}
