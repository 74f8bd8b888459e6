import type { Account } from "./account.ts";
import { canonicalJson } from "./canonical-json.ts";
import { isNoAnswer } from "./reasons.ts";
import { heardOf, joinStamps, seenOf, stamp, unstamped } from "./stamps.ts";

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
  /** RFC 3339, UTC; by this program's clock. */
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
  return joinStates(before, { verdict: stamp(account, observedAt), firstSeen: observedAt, lastSeen: observedAt });
}

/** What is known after both: of what was remembered and of what was heard meanwhile nothing is lost, whichever came first. */
export function joinStates(a: VerdictState | undefined, b: VerdictState): VerdictState {
  const accounts = [a?.verdict, a?.also, b.verdict, b.also].filter((known) => known !== undefined);
  const view = highest(accounts.filter(({ source }) => source === "instanceView"));
  const told = highest(accounts.filter(({ source }) => source === "capzCondition"));
  return {
    ...believed(view, told, b.verdict),
    firstSeen: earlier(a?.firstSeen ?? b.firstSeen, b.firstSeen),
    lastSeen: later(a?.lastSeen ?? b.lastSeen, b.lastSeen),
  };
}

function highest(accounts: readonly Account[]): Account | undefined {
  return accounts.length === 0 ? undefined : accounts.reduce(joinAccounts);
}

function believed(
  view: Account | undefined,
  told: Account | undefined,
  only: Account,
): Pick<VerdictState, "verdict" | "also"> {
  if (view === undefined || told === undefined) return { verdict: view ?? told ?? only };
  return viewPrevails(view, told) ? { verdict: view, also: told } : { verdict: told, also: view };
}

export function isFailure({ outcome }: Pick<Account, "outcome">): boolean {
  return outcome === "failed" || outcome === "deadline";
}

/** Of two accounts of one source the one to keep; of one run and rank the one that was heard last, with the times of both. */
function joinAccounts(a: Account, b: Account): Account {
  const order = compareRuns(a, b) || rank(a) - rank(b);
  if (order !== 0) return order > 0 ? a : b;
  const last =
    compareTexts(seenOf(a), seenOf(b)) || compareTexts(canonicalJson(unstamped(a)), canonicalJson(unstamped(b)));
  return last >= 0 ? joinStamps(a, b) : joinStamps(b, a);
}

/** Above 0: the first is of a newer VM, or of newer settings on the same one. */
function compareRuns(a: Account, b: Account): number {
  return (
    compareTexts(a.vmCreated ?? "", b.vmCreated ?? "") ||
    compareTexts(a.vmId ?? "", b.vmId ?? "") ||
    (a.sequence ?? -1) - (b.sequence ?? -1)
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

/** CAPZ learns of a failure some time after it, and two clocks are never quite the same. */
const slackMs = 60_000;

/**
 * Which of two sources is believed. The extension's own end counts most. What CAPZ wrapped tells of a failure that Azure cannot confirm now
 * (no answer, no right to ask), and of waiting where Azure has said nothing. Words from before the VM was made, or from before the settings
 * that it waits with now, are about another run.
 */
function viewPrevails(view: Account, told: Account): boolean {
  const isOfOlderVm = view.vmCreated !== undefined && told.time < view.vmCreated;
  const isOfOlderRun = view.began !== undefined && Date.parse(told.time) + slackMs < Date.parse(view.began);
  return isOfOlderVm || isOfOlderRun || rank(view) >= 2 || (rank(view) === 1 && !isFailure(told));
}

/** The order in which failures were heard of. */
export function compareHeard(a: Account, b: Account): number {
  return compareTexts(heardOf(a), heardOf(b));
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
