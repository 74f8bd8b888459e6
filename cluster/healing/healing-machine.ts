import type { Account } from "../verdict/account.ts";

export interface Mark {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly reason: string;
  /** Since when the replacement is not asked for any more. It is kept, because it has used up budget. */
  readonly withdrawn?: string;
}

/** The replacement is still asked for. */
export function isLive(mark: Mark | undefined): mark is Mark {
  return mark !== undefined && mark.withdrawn === undefined;
}

/**
 * Of two memories of one machine's mark the newer one; a mark that was withdrawn stays so, since the first withdrawal. Whoever joins them in any
 * order has the same: two controllers that each kept their own would write the object against each other without end.
 */
export function joinMarks(a: Mark | undefined, b: Mark | undefined): Mark | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.at !== b.at) return a.at > b.at ? a : b;
  if (isLive(a) !== isLive(b)) return isLive(a) ? b : a;
  return `${a.withdrawn ?? ""} ${a.reason}` <= `${b.withdrawn ?? ""} ${b.reason}` ? a : b;
}

/** One machine of the owner: a living one, or one that is gone and whose verdict object is kept. */
export interface HealingMachine {
  /** Uid of the Machine. */
  readonly uid: string;
  readonly verdict: Account;
  readonly mark?: Mark | undefined;
  readonly gone: boolean;
  readonly deleting: boolean;
  readonly paused: boolean;
  readonly hasNode: boolean;
}
