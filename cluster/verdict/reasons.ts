import { customPrefix, otherReasons, reasons } from "../../handler/reasons/reasons.ts";

/**
 * Why nothing was learned. None of these says anything of the machine: Azure could not be asked, or had nothing to tell.
 * An answer of this kind never displaces what was learned before.
 */
const noAnswerReasons = [
  "NoAnswer",
  "AgentSilent",
  "ExtensionAbsent",
  "MachineNotFound",
  "AccessDenied",
  "ForeignStatus",
] as const;
export type NoAnswerReason = (typeof noAnswerReasons)[number];

const outcomeReasons = [...otherReasons, "Interrupted"] as const;

/** Azure's own words for what is not the extension's verdict; the extension may never have run. */
const azureReasons = [
  "OSProvisioningClientError",
  "OSProvisioningTimedOut",
  "OSProvisioningInternalError",
  "VMExtensionProvisioningTimeout",
  "VMExtensionHandlerNonTransientError",
  "VMAgentStatusCommunicationError",
  "OperationNotAllowed",
  "SkuNotAvailable",
  "ZonalAllocationFailed",
  "AllocationFailed",
] as const;

/** Every reason that this version can write by itself. The table is the handler's. */
const knownReasons: ReadonlySet<string> = new Set([
  ...Object.keys(reasons),
  ...outcomeReasons,
  ...noAnswerReasons,
  ...azureReasons,
]);

/** Room of a condition's reason in Cluster API is larger; a reason is read in a column. */
export const longestReason = 63;

/**
 * A reason as conditions, Events and the custom resource take it: one CamelCase word. One that is not of this version's tables (a user's own
 * check, a newer handler) is kept and begins with Custom, so that what a program compares with is a closed set.
 */
export function boundReason(reason: string): string {
  if (knownReasons.has(reason)) return reason;
  const word = reason
    .split(/[^A-Za-z0-9]+/u)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
  const bare = word.startsWith(customPrefix) ? word.slice(customPrefix.length) : word;
  return `${customPrefix}${bare}`.slice(0, longestReason);
}

export function isNoAnswer(reason: string): boolean {
  return (noAnswerReasons as readonly string[]).includes(reason);
}
