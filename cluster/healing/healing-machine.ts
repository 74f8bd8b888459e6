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
