import { setTimeout as pause } from "node:timers/promises";
import type { AgentPlayer, SeenStatus } from "./agent-player.ts";

const lookEveryMs = 50;

/** Prints each status the moment it is on disk, until it is terminal; returns the terminal one. */
export async function showUntilVerdict(agent: AgentPlayer, sequence: number, say: Say): Promise<SeenStatus> {
  return showUntil(agent, { sequence, say, done: (status) => status.kind === "success" || status.kind === "error" });
}

export type Say = (line: string) => void;

export interface ShowUntil {
  readonly sequence: number;
  readonly say: Say;
  readonly done: (status: SeenStatus) => boolean;
}

export async function showUntil(agent: AgentPlayer, { sequence, say, done }: ShowUntil): Promise<SeenStatus> {
  let shown = "";
  for (;;) {
    const status = agent.status(sequence);
    if (status !== undefined) {
      const line = `${status.kind.padEnd(13)} ${status.message.split("\n", 1)[0] ?? ""}`;
      if (line !== shown) say(line);
      shown = line;
      if (done(status)) return status;
    }
    await pause(lookEveryMs);
  }
}

/** What an operator finds in the portal, the CLI and `kubectl describe azuremachine`. */
export function showForOperator(status: SeenStatus, say: Say): void {
  say("");
  say("What the operator sees:");
  for (const line of status.message.split("\n")) say(`  | ${line}`);
  say(`  Substatuses: ${Object.keys(status.substatuses).join(", ")}`);
}
