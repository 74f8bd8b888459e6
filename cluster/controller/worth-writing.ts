import type { Account } from "../verdict/account.ts";
import { canonicalJson } from "../verdict/canonical-json.ts";
import { msBetween } from "../verdict/moment.ts";
import { isNoAnswer } from "../verdict/reasons.ts";
import { unstamped } from "../verdict/stamps.ts";
import type { VerdictRecord } from "../verdict/verdict-object.ts";

/** The words of a wait change every few seconds; the object follows them this often. */
const waitingEveryMs = 60_000;

/** False where the stored object says the same, or nearly the same and was written a moment ago. A settled machine is never written. */
export function isWorthWriting(stored: VerdictRecord | undefined, next: VerdictRecord): boolean {
  if (stored === undefined) return true;
  if (essence(stored) !== essence(next)) return true;
  const { outcome, reason } = next.verdict;
  if (isNoAnswer(reason)) return false;
  if (content(stored) === content(next)) return false;
  return outcome !== "waiting" || msBetween(stored.lastSeen, next.lastSeen) >= waitingEveryMs;
}

/** What decides: a change of it is always written at once. */
function essence({ verdict, also, mark, machineGone, owner, machine }: VerdictRecord): string {
  const { outcome, reason, stage, sequence, vmId, source } = verdict;
  const other = also === undefined ? undefined : { outcome: also.outcome, reason: also.reason, source: also.source };
  return canonicalJson({ outcome, reason, stage, sequence, vmId, source, other, mark, machineGone, owner, machine });
}

function content({ verdict, also }: VerdictRecord): string {
  return [verdict, also].map((account) => (account === undefined ? "" : saidBy(account))).join("\n");
}

/** What an account says, without when it was heard; of no answer only its reason, because its time is always another one. */
export function saidBy(account: Account): string {
  return isNoAnswer(account.reason) ? account.reason : canonicalJson(unstamped(account));
}
