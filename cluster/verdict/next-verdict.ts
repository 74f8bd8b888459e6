import type { Account } from "./account.ts";
import { canonicalJson } from "./canonical-json.ts";
import { isNoAnswer } from "./reasons.ts";

/** What is known of one machine. Both accounts together are the memory; `verdict` is the one that is believed. */
export interface VerdictState {
  readonly verdict: Account;
  /** The other source's account, kept so that the order of what is still to come does not matter. */
  readonly also?: Account;
  /** RFC 3339, UTC: when anything was first and last heard of this machine. */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export interface Observation {
  readonly account: Account;
  /** RFC 3339, UTC. */
  readonly observedAt: string;
}

/**
 * The verdict after one more observation. Of each source the highest account is kept, in one total order over accounts, and the verdict is
 * a function of these two: so any order of the same observations, repeated or not, ends in the same state. A failure stays until
 * the extension itself says success for the same VM and the same or a newer sequence; a newer VM or sequence begins anew.
 */
export function nextVerdict(before: VerdictState | undefined, observation: Observation): VerdictState | undefined {
  const { account, observedAt } = observation;
  // CAPZ turns its condition back to True after a failure, so its True is no word of the extension.
  if (account.source === "capzCondition" && account.outcome === "bootstrapped") return before;
  const held = [before?.verdict, before?.also].filter((known) => known !== undefined);
  const same = held.find(({ source }) => source === account.source);
  const other = held.find(({ source }) => source !== account.source);
  const kept = same === undefined || compareAccounts(account, same) > 0 ? account : same;
  return {
    ...believed(kept, other),
    firstSeen: earlier(before?.firstSeen ?? observedAt, observedAt),
    lastSeen: later(before?.lastSeen ?? observedAt, observedAt),
  };
}

function believed(kept: Account, other: Account | undefined): Pick<VerdictState, "verdict" | "also"> {
  if (other === undefined) return { verdict: kept };
  return prevails(kept, other) ? { verdict: kept, also: other } : { verdict: other, also: kept };
}

export function isFailure({ outcome }: Pick<Account, "outcome">): boolean {
  return outcome === "failed" || outcome === "deadline";
}

/** Above 0: the first is to be kept. A total order, so that the highest of a set does not depend on the order of the set. */
export function compareAccounts(a: Account, b: Account): number {
  return (
    compareTexts(a.vmCreated ?? "", b.vmCreated ?? "") ||
    compareTexts(a.vmId ?? "", b.vmId ?? "") ||
    (a.sequence ?? -1) - (b.sequence ?? -1) ||
    rank(a) - rank(b) ||
    compareTexts(a.time, b.time) ||
    compareTexts(canonicalJson(a), canonicalJson(b))
  );
}

/** Within one run: what lies higher replaces what lies lower, and never the other way. */
function rank({ outcome, reason }: Account): number {
  switch (outcome) {
    case "unknown":
      return isNoAnswer(reason) ? 0 : 1;
    case "waiting":
      return 1;
    case "failed":
    case "deadline":
      return 2;
    case "bootstrapped":
      return 3;
  }
}

/**
 * Which of two sources is believed. The extension's own end counts most. What CAPZ wrapped tells of a failure that Azure cannot confirm now
 * (no answer, no right to ask), and of waiting where Azure has said nothing. Words from before the VM was made are about another one.
 */
function prevails(a: Account, b: Account): boolean {
  const [view, told] = a.source === "instanceView" ? [a, b] : [b, a];
  const isOfOlderVm = view.vmCreated !== undefined && told.time < view.vmCreated;
  const viewIsBelieved = isOfOlderVm || rank(view) >= 2 || (rank(view) === 1 && !isFailure(told));
  return viewIsBelieved === (a === view);
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
