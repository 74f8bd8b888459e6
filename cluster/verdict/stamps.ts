import type { Account } from "./account.ts";

/*
 * A node's clock may be years off, and is set while the node boots. So what is said has the times of who heard it: a controller orders by its
 * own clock, and a node's time is shown to people where it can be true.
 */

/** The account as it was heard at a moment of this program's clock. */
export function stamp(account: Account, observedAt: string): Account {
  const { outcome, elapsedSeconds } = account;
  const began =
    outcome === "waiting" && elapsedSeconds !== undefined
      ? new Date(Date.parse(observedAt) - elapsedSeconds * 1000).toISOString()
      : undefined;
  return { ...account, heard: observedAt, seen: observedAt, ...(began === undefined ? {} : { began }) };
}

/** The first account with the times of both, which are of one run and rank. */
export function joinStamps(kept: Account, other: Account): Account {
  const began = [kept.began, other.began].filter((known) => known !== undefined).toSorted()[0];
  return {
    ...kept,
    heard: [heardOf(kept), heardOf(other)].toSorted()[0] ?? heardOf(kept),
    seen: [seenOf(kept), seenOf(other)].toSorted()[1] ?? seenOf(kept),
    ...(began === undefined ? {} : { began }),
  };
}

/** What was said, without when it was heard. */
export function unstamped({ heard: _, seen: __, began: ___, ...said }: Account): Account {
  return said;
}

export function heardOf({ heard, time }: Account): string {
  return heard ?? time;
}

export function seenOf({ seen, time }: Account): string {
  return seen ?? time;
}

/** When it was said, for people: the node's own time where it can be true, else when it was heard. */
export function saidAt({ time, heard, vmCreated }: Account): string {
  if (heard === undefined) return time;
  return time > heard || (vmCreated !== undefined && time < vmCreated) ? heard : time;
}
