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
export function nextAskMs({ verdict, firstSeen, hasNode, now }: Asking): number | undefined {
  const age = msBetween(firstSeen, now);
  if (verdict?.outcome === "bootstrapped") return undefined;
  if (verdict !== undefined && isFailure(verdict) && verdict.source === "instanceView") {
    const since = msBetween(verdict.time, now);
    return since < hour ? 2 * minute : since < 6 * hour ? 10 * minute : undefined;
  }
  // CAPZ has just told of a failure, so the extension's own words, with the evidence, are there to be read.
  if (verdict !== undefined && isFailure(verdict) && msBetween(verdict.time, now) < minute) return 3 * second;
  // A machine that has joined and carries no extension of ours has nothing to say.
  if (hasNode && verdict?.reason === "ExtensionAbsent") return undefined;
  if (verdict?.reason === "AccessDenied") return 10 * minute;
  if (age < 10 * minute) return 15 * second;
  if (age < hour) return minute;
  return age < 6 * hour ? 5 * minute : 15 * minute;
}
