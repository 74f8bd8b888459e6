import { bounds, type Account } from "./account.ts";

/**
 * The account in at most `bounds.bytes`, as JSON in UTF-8: a letter may have three bytes, and a node decides how many lines it sends. The
 * oldest entries of the timeline go first, then the last lines of evidence; what says the verdict stays.
 */
export function boundAccount(account: Account): Account {
  const { evidence, timeline } = account;
  let left = bounds.bytes - sizeOf({ ...account, evidence: [], timeline: [] });
  const fits = (item: unknown) => {
    left -= sizeOf(item) + ",".length;
    return left >= 0;
  };
  // The first that does not fit ends its list: one with gaps would tell another story.
  const lines = evidence.slice(0, countWhile(evidence, fits));
  const entries = timeline.slice(timeline.length - countWhile(timeline.toReversed(), fits));
  return { ...account, evidence: lines, timeline: entries };
}

function countWhile<T>(items: readonly T[], fits: (item: T) => boolean): number {
  const end = items.findIndex((item) => !fits(item));
  return end === -1 ? items.length : end;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
