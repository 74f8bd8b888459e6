import type { Account } from "../verdict/account.ts";
import { msBetween } from "../verdict/moment.ts";
import { isFailure } from "../verdict/next-verdict.ts";

export interface Asking {
  readonly verdict: Account | undefined;
  /** When the machine was first heard of. */
  readonly firstSeen: string;
  readonly hasNode: boolean;
  readonly now: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Milliseconds until a machine is worth asking for again; undefined when it is settled. Young machines are asked often, because seconds
 * count; a failure is asked for as long as the extension may still revise it (aftercare); a success never again.
 */
export function nextAskMs(asking: Asking): number | undefined {
  const { verdict, hasNode, now } = asking;
  if (verdict?.outcome === "bootstrapped") return undefined;
  if (verdict !== undefined && isFailure(verdict)) {
    const since = msBetween(verdict.time, now);
    if (verdict.source === "instanceView") return nextAskOfFailedMs(since);
    // CAPZ has just told of a failure, so the extension's own words, with the evidence, are there to be read.
    if (since < minute) return 3 * second;
  }
  // A machine that has joined and carries no extension of ours has nothing to say.
  if (hasNode && verdict?.reason === "ExtensionAbsent") return undefined;
  if (verdict?.reason === "AccessDenied") return 10 * minute;
  return nextAskOfWaitingMs(msBetween(asking.firstSeen, now));
}

/** As long as aftercare may turn it into a late success; after that it is settled. */
function nextAskOfFailedMs(since: number): number | undefined {
  if (since < hour) return 2 * minute;
  return since < 6 * hour ? 10 * minute : undefined;
}

/** Seconds count for a machine that is minutes old. */
function nextAskOfWaitingMs(age: number): number {
  if (age < 10 * minute) return 15 * second;
  if (age < hour) return minute;
  return age < 6 * hour ? 5 * minute : 15 * minute;
}
