import { errorCodes, type ErrorId } from "../errors/error-codes.ts";
import type { ReasonRow } from "./reason-row.ts";

type Side = Pick<ReasonRow, "retryable" | "blame">;

const retry = { retryable: true } as const;
const again = { retryable: false } as const;

/**
 * The handler's own failures, with what the table of codes does not say of them. "platform" is Azure's and the extension's own
 * side: exactly those have a number below zero.
 */
const sides = {
  commandNotStarted: { ...again, blame: "image" },
  commandFailed: { ...again, blame: "configuration" },
  bootstrapFailed: { ...again, blame: "configuration" },
  deadlineExceeded: { ...retry, blame: "configuration" },
  settingsInvalid: { ...again, blame: "configuration" },
  settingsUnreadable: { ...again, blame: "configuration" },
  commandMissing: { ...again, blame: "configuration" },
  protectedSettingsUndecryptable: { ...again, blame: "configuration" },
  scriptInvalid: { ...again, blame: "configuration" },
  platformUnsupported: { ...again, blame: "image" },
  downloadDenied: { ...again, blame: "configuration" },
  downloadNotFound: { ...again, blame: "configuration" },
  downloadFailed: { ...retry, blame: "network" },
  downloadTimedOut: { ...retry, blame: "network" },
  downloadTooLarge: { ...again, blame: "configuration" },
  downloadUrlInvalid: { ...again, blame: "configuration" },
  checkUntrusted: { ...again, blame: "configuration" },
  checkUnavailable: { ...retry, blame: "network" },
  checkIncompatible: { ...again, blame: "configuration" },
  identityNotFound: { ...again, blame: "configuration" },
  identityDenied: { ...again, blame: "configuration" },
  identityFailed: { ...retry, blame: "network" },
  environmentUnreadable: { ...retry, blame: "platform" },
  sequenceUnknown: { ...retry, blame: "platform" },
  stateUnwritable: { ...retry, blame: "platform" },
  interrupted: { ...retry, blame: "platform" },
  checkOutputInvalid: { ...again, blame: "platform" },
  bootstrapFailedByPlatform: { ...retry, blame: "platform" },
  deadlineExceededByPlatform: { ...retry, blame: "platform" },
  internal: { ...again, blame: "platform" },
} as const satisfies Record<ErrorId, Side>;

type HandlerReason = (typeof errorCodes)[ErrorId]["reason"];

/** By reason, made from the table of codes. */
export const handlerReasons: Readonly<Record<HandlerReason, ReasonRow>> = byReason();

function byReason(): Record<HandlerReason, ReasonRow> {
  const rows = Object.entries(errorCodes).map(([id, { reason, title, hint }]) => {
    const row: ReasonRow = { meaning: title, nextStep: hint, references: [], ...sides[id as ErrorId] };
    return [reason, row] as const;
  });
  return Object.fromEntries(rows) as Record<HandlerReason, ReasonRow>;
}
