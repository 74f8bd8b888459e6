import { checkReasons } from "./check-reasons.ts";
import { handlerReasons } from "./handler-reasons.ts";
import { joinReasons } from "./join-reasons.ts";
import { networkReasons } from "./network-reasons.ts";
import { nodeReasons } from "./node-reasons.ts";
import { provisioningReasons } from "./provisioning-reasons.ts";
import type { ReasonRow } from "./reason-row.ts";

/**
 * Every reason that the extension can report for a failure, the only table of them: causes of the catalogue, ends that a check
 * sees, failures of the handler. A reason is what an operator sees in parentheses and puts into alerts, so it never changes.
 * The pages and the schema of the status are made from it. `enable` never loads it.
 */
export const causeReasons = { ...provisioningReasons, ...networkReasons, ...joinReasons, ...nodeReasons } as const;

export const reasons = { ...causeReasons, ...checkReasons, ...handlerReasons } as const;

export type CauseReason = keyof typeof causeReasons;
type KnownReason = keyof typeof reasons;

/** Reasons of a verdict that is no failure. */
export const otherReasons = ["Bootstrapped", "BootstrapInProgress", "Reported"] as const;

/** These say only that nothing better is known, so side and retry of the table are no more than the likeliest. */
export const openReasons: ReadonlySet<string> = new Set<KnownReason>([
  "BootstrapFailed",
  "CloudInitScriptsFailed",
  "CommandFailed",
  "CommandNotStarted",
  "DeadlineExceeded",
]);

/**
 * Begins the reasons that are not ours: of an operator's hook or own check, or of a rule that is newer than this handler. So
 * nobody mistakes them for one of the table, and the set of all others stays closed.
 */
export const customPrefix = "Custom";

const table: ReadonlyMap<string, ReasonRow> = new Map(Object.entries(reasons));

/** What the table knows of a reason; undefined for a custom one and for those that are no failure. */
export function describeReason(reason: string): ReasonRow | undefined {
  return table.get(reason);
}

/** The reason itself when the table has it, else the same with the prefix (once). */
export function closedReason(reason: string): string {
  return table.has(reason) || isCustomReason(reason) ? reason : `${customPrefix}${reason}`;
}

/** True for the reason of a hook, of an operator's own check or of a rule that this handler does not know. */
export function isCustomReason(reason: string): boolean {
  return reason.startsWith(customPrefix) && reason.length > customPrefix.length;
}
