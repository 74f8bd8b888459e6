import { startDeadline, type Deadline } from "../../check/deadline.ts";
import type { Run } from "./run.ts";

/** The one clock of a run: goes on from what the state says was used, and keeps there what is used. */
export function openDeadline({ context, record }: Pick<Run, "context" | "record">, budgetSeconds: number): Deadline {
  const { host, identity } = context;
  return startDeadline({
    host,
    budgetMs: budgetSeconds * 1000,
    bootId: identity.bootId,
    stored: record.current().clock,
    persist: (clock) => record.saveClock(clock),
  });
}
