import { isJsonObject } from "../../handler/text/parse-json.ts";
import { textOf } from "../../handler/explain/json-fields.ts";

/** A request that the API server refused, or that did not reach it. */
export class KubeError extends Error {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** `reason` of Kubernetes' Status: "Conflict", "Expired", "NotFound" … */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    answer: {
      readonly status: number;
      readonly reason?: string;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: answer.cause });
    this.name = "KubeError";
    this.status = answer.status;
    this.reason = answer.reason ?? "";
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** A Status object of the API server as an error; `what` says which request it answers. */
export function errorOfStatus(
  what: string,
  {
    status,
    body,
    retryAfterMs,
  }: { readonly status: number; readonly body?: unknown; readonly retryAfterMs?: number | undefined },
): KubeError {
  const fields = isJsonObject(body) ? body : {};
  const reason = textOf(fields["reason"]) ?? "";
  const message = textOf(fields["message"]) ?? "no message";
  return new KubeError(`${what}: ${String(status)} ${reason}: ${message.slice(0, 500)}`, {
    status,
    reason,
    retryAfterMs,
  });
}

export function isExpired(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  const message = error.message === "" ? error.name : error.message;
  return error instanceof KubeError ? message : `${message}${code}`;
}
