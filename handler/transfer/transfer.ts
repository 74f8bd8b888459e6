import type { ErrorId } from "../errors/error-codes.ts";

/** One try of a download, from whichever client. */
export type OpenTransfer = (signal: AbortSignal) => Promise<OpenedTransfer | TransferFailure>;

export interface OpenedTransfer {
  readonly kind: "open";
  readonly body: AsyncIterable<Uint8Array>;
  /** Length that the server announced for exactly these bytes. */
  readonly expectedBytes: number | undefined;
}

export interface TransferFailure {
  readonly kind: "failed";
  readonly id: ErrorId;
  /** A part of a sentence, without secrets: "the server answered 503". */
  readonly reason: string;
  /** `few`: it may heal within seconds (name service at boot, clock not yet set), but usually is a mistake. */
  readonly retry: "never" | "few" | "yes";
  readonly retryAfterMs?: number;
  /** What to do, where the general advice of the error would mislead. */
  readonly hint?: string;
}

/** How an upload ended. */
export type UploadResult =
  /** `location`: where it can be read, with the credential of the request; absent where that is not known. */
  { readonly kind: "uploaded"; readonly location?: string } | { readonly kind: "failed"; readonly reason: string };

export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
}

/** What a status other than 2xx means; `now` serves a Retry-After that is a date. */
export function failureOfStatus(answer: HttpAnswer, now: Date): TransferFailure {
  const detail = answer.header("x-ms-error-code");
  const reason = `the server answered ${String(answer.status)}${detail === undefined ? "" : ` (${detail.slice(0, 80)})`}`;
  const retryAfterMs = parseRetryAfter(answer.header("retry-after"), now);
  const { id, retry } = meaningOf(answer.status, detail);
  return { kind: "failed", id, reason, retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function meaningOf(status: number, detail: string | undefined): Pick<TransferFailure, "id" | "retry"> {
  if (status === 401 || status === 403) return { id: "downloadDenied", retry: "never" };
  // Azure storage answers 409 to an anonymous request where public access is off.
  if (status === 409 && detail === "PublicAccessNotPermitted") return { id: "downloadDenied", retry: "never" };
  if (status === 404 || status === 410) return { id: "downloadNotFound", retry: "never" };
  const heals = status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
  return { id: "downloadFailed", retry: heals ? "yes" : "never" };
}

/** RFC 9110, 10.2.3: seconds or a date. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

/** What an exception of an HTTP client means. */
export function failureOfError(error: unknown): TransferFailure {
  const code = deepestCode(error);
  const reason = `the connection failed (${code ?? "no answer"})`;
  const mistake = code !== undefined && (code === "ENOTFOUND" || isCertificateCode(code));
  return { kind: "failed", id: "downloadFailed", reason, retry: mistake ? "few" : "yes" };
}

function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/u.test(code);
}

/** fetch hides the system's error in `cause`, sometimes in a list of several addresses. */
function deepestCode(error: unknown): string | undefined {
  let code: string | undefined;
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth += 1) {
    if ("code" in current && typeof current.code === "string") code = current.code;
    if ("cause" in current && current.cause !== undefined) current = current.cause;
    else if ("errors" in current && Array.isArray(current.errors)) current = current.errors[0];
    else break;
  }
  return code;
}
