import type { Account } from "../verdict/account.ts";

export interface Mark {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly reason: string;
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
