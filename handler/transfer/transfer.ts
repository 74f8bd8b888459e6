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
  const hint = answer.status >= 500 ? { hint: "Look at the server: it can be reached, but cannot answer" } : {};
  return { kind: "failed", id, reason, retry, ...hint, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
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
  const [deepest, code] = [deepestOf(error), deepestCode(error)];
  const proxys = /Proxy response \((?<status>\d{3})\)/u.exec(messageOf(deepest))?.groups?.["status"];
  if (proxys !== undefined) return failureOfProxy(proxys);
  const reason = `the connection${placeOf(deepest)} failed (${code ?? "no answer"})`;
  if (code === "ENOTFOUND") return { ...lost, reason, retry: "few", hint: unknownName };
  if (code !== undefined && isCertificateCode(code)) return { ...lost, reason, retry: "few", hint: hintOf(code) };
  return { ...lost, reason, retry: "yes" };
}

const lost = { kind: "failed", id: "downloadFailed" } as const;

/** The proxy stands between: of the address itself nothing is known. */
function failureOfProxy(status: string): TransferFailure {
  const hint =
    status === "407"
      ? "Write the proxy's user and password into proxy (protected settings): http://USER:PASSWORD@HOST:PORT"
      : "Let the proxy through to the address, or exempt the address (no_proxy of the guest agent)";
  return { ...lost, reason: `the proxy answered ${status}`, retry: "yes", hint };
}

const unknownName = "Correct the name in the address, or let the machine's name service know it";

function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/u.test(code);
}

function hintOf(code: string): string {
  if (code === "CERT_HAS_EXPIRED") return "Renew the server's certificate; if it is not over, set the machine's clock";
  if (code === "CERT_NOT_YET_VALID") return "Set the machine's clock: the server's certificate is not valid yet";
  if (/ALTNAME|HOSTNAME/u.test(code)) return "Write the name that the server's certificate carries into the address";
  return "Put the certificate of the authority that signed the server's into the machine's certificate store";
}

/** Whom the system could not reach, which is the proxy where there is one. */
function placeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("address" in error) || !("port" in error)) return "";
  const { address, port } = error;
  return typeof address === "string" && typeof port === "number" ? ` to ${address}:${String(port)}` : "";
}

function messageOf(error: unknown): string {
  const isTold = typeof error === "object" && error !== null && "message" in error;
  return isTold && typeof error.message === "string" ? error.message : "";
}

/** fetch hides the system's error in `cause`, sometimes in a list of several addresses. */
function chainOf(error: unknown): readonly object[] {
  const chain: object[] = [];
  let current: unknown = error;
  while (chain.length < 6 && typeof current === "object" && current !== null) {
    chain.push(current);
    if ("cause" in current && current.cause !== undefined) current = current.cause;
    else current = "errors" in current && Array.isArray(current.errors) ? current.errors[0] : undefined;
  }
  return chain;
}

function deepestOf(error: unknown): unknown {
  return chainOf(error).at(-1);
}

function deepestCode(error: unknown): string | undefined {
  const codes = chainOf(error).map((one) => ("code" in one ? one.code : undefined));
  return codes.findLast((code) => typeof code === "string");
}
