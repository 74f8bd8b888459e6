import { errorCodes, type ErrorCode, type ErrorId } from "./error-codes.ts";

/** The one error class: a broken promise with a stable code. Expected outcomes are values, not errors. */
export class HandlerError extends Error {
  readonly id: ErrorId;
  /** What to do next; the table's hint unless the thrower knows better. */
  readonly hint: string;

  constructor(id: ErrorId, message: string, options: { readonly cause?: unknown; readonly hint?: string } = {}) {
    super(message, { cause: options.cause });
    this.name = "HandlerError";
    this.id = id;
    this.hint = options.hint ?? errorCodes[id].hint;
  }

  get code(): ErrorCode {
    return errorCodes[this.id];
  }
}

/** Turns anything thrown into a HandlerError; what is not one already is a bug of ours and says so. */
export function toHandlerError(thrown: unknown): HandlerError {
  if (thrown instanceof HandlerError) return thrown;
  if (isPackageNotWhole(thrown))
    return new HandlerError("internal", thrown.message, { cause: thrown, hint: hintOfPackageNotWhole });
  return new HandlerError("internal", `Unexpected failure: ${errorText(thrown)}`, { cause: thrown });
}

export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Where something unexpected was thrown, for the log. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** As in publish/part-loader.ts, which says it itself while the program starts. */
const hintOfPackageNotWhole = "Remove the extension and apply it again, or unpack the package anew";

/** By which the launcher knows it: what `disable` and `uninstall` cannot stop, it stops. */
export const exitCodeOfPackageNotWhole = 52;

/** A part of the program is not there or half there: publish/part-loader.ts throws it where the part is asked for. */
export function isPackageNotWhole(thrown: unknown): thrown is Error {
  return thrown instanceof Error && systemErrorCode(thrown) === "CAPZ_PACKAGE_NOT_WHOLE";
}

/** The `code` of a Node system error (`ENOENT`, `EACCES` …), if it is one. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** The system refused it to this user. */
export function isDenial(thrown: unknown): boolean {
  return ["EACCES", "EPERM"].includes(systemErrorCode(thrown) ?? "");
}
