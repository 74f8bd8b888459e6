import type { Account } from "../verdict/account.ts";
import { msBetween } from "../verdict/moment.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import { heardOf } from "../verdict/stamps.ts";

export interface Asking {
  readonly verdict: Account | undefined;
  /** When the machine was first heard of. */
  readonly firstSeen: string;
  readonly hasNode: boolean;
  /** CAPZ shows the wait in a condition of its own, so it will show the end of it too. */
  readonly capzWaits: boolean;
  /** Milliseconds since CAPZ turned its condition: the extension has just ended, or begun. */
  readonly sinceTurnMs?: number | undefined;
  readonly now: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** From this on a machine is only looked at again: its verdict has settled, and little will change it. */
export const settledMs = hour;

/**
 * Milliseconds until a machine is worth asking for again. Young machines are asked often, because seconds count, and at once when CAPZ turns
 * its condition; a failure is asked for as long as aftercare may revise it. What has settled is looked at again a few times a day: settings may
 * be applied anew by hand, and a machine that was reinstalled says so nowhere else.
 */
export function nextAskMs(asking: Asking): number {
  const { verdict, hasNode, now, sinceTurnMs } = asking;
  const hasTurned = sinceTurnMs !== undefined && sinceTurnMs < minute;
  if (verdict?.outcome === "bootstrapped") return 6 * hour;
  if (verdict !== undefined && isFailure(verdict)) {
    const since = msBetween(heardOf(verdict), now);
    if (verdict.source === "instanceView") return nextAskOfFailedMs(since);
    // CAPZ has just told of a failure, so the extension's own words, with the evidence, are there to be read.
    if (since < minute) return 3 * second;
  }
  // A machine that has joined and carries no extension of ours has nothing to say.
  if (hasNode && verdict?.reason === "ExtensionAbsent") return 6 * hour;
  if (verdict?.reason === "AccessDenied") return 10 * minute;
  if (hasTurned) return 5 * second;
  return nextAskOfWaitingMs(msBetween(asking.firstSeen, now), asking.capzWaits);
}

/** As long as aftercare may turn it into a late success; after that it is looked at again now and then. */
function nextAskOfFailedMs(since: number): number {
  if (since < hour) return 2 * minute;
  return since < 6 * hour ? 10 * minute : settledMs;
}

/** Seconds count for a machine that is minutes old, unless CAPZ will say when to look. */
function nextAskOfWaitingMs(age: number, capzWaits: boolean): number {
  if (age < 10 * minute) return capzWaits ? minute : 15 * second;
  if (age < hour) return capzWaits ? 2 * minute : minute;
  return age < 6 * hour ? 5 * minute : 15 * minute;
}
