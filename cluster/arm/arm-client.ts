import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  isRestError,
  type PipelineResponse,
} from "@azure/core-rest-pipeline";
import { parseJson } from "../../handler/text/parse-json.ts";
import { describeError } from "../kube/kube-error.ts";

/** One answer of ARM. Everything but `found` and `not-found` is "no answer". */
export type ArmAnswer =
  | { readonly kind: "found"; readonly value: unknown }
  | { readonly kind: "not-found" }
  /** 401 or 403: the identity has no right there. */
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "throttled"; readonly status: number; readonly retryAfterMs: number | undefined }
  /** No connection, 5xx, an answer that cannot be read. */
  | { readonly kind: "failed"; readonly why: string };

export interface ArmClient {
  /** GET of a path with its query, or of a `nextLink`; never throws. */
  get(pathOrLink: string, signal: AbortSignal): Promise<ArmAnswer>;
  /** POST without a body: an action that only reads. For a person's commands; the controller never posts. */
  post(path: string, signal: AbortSignal): Promise<ArmAnswer>;
}

export interface ArmEndpoint {
  /** "https://management.azure.com"; the resource manager of the cloud. */
  readonly origin: string;
  /** A bearer token; cached by who gives it. Throws where there is none. */
  readonly token: (signal: AbortSignal) => Promise<string>;
  readonly timeoutMs?: number;
}

/** The library's retries wait inside of the call without an upper bound, so they are off: the queue above decides. */
export function createArmClient({ origin, token, timeoutMs = 30_000 }: ArmEndpoint): ArmClient {
  const pipeline = createPipelineFromOptions({
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: "capz-bootstrap-cluster" },
  });
  const http = createDefaultHttpClient();
  const insecure = new URL(origin).protocol === "http:";
  const sendOnce = async (method: "GET" | "POST", url: URL, signal: AbortSignal): Promise<ArmAnswer> => {
    const request = createPipelineRequest({
      url: url.href,
      method,
      headers: createHttpHeaders({ authorization: `Bearer ${await token(signal)}`, accept: "application/json" }),
      timeout: timeoutMs,
      abortSignal: signal,
      allowInsecureConnection: insecure,
      streamResponseStatusCodes: new Set([200]),
    });
    return read(await pipeline.sendRequest(http, request));
  };
  const send = async (method: "GET" | "POST", pathOrLink: string, signal: AbortSignal): Promise<ArmAnswer> => {
    const url = new URL(pathOrLink, origin);
    // A link of an answer leads to where the token may go, or nowhere.
    if (url.origin !== new URL(origin).origin) return { kind: "failed", why: `a link to another host (${url.host})` };
    // The library's own time ends with the headers; a body that never ends would hold this question for ever.
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await sendOnce(method, url, AbortSignal.any([signal, late]));
    } catch (error) {
      if (late.aborted) return { kind: "failed", why: `no whole answer within ${String(timeoutMs / 1000)} s` };
      return { kind: "failed", why: isRestError(error) ? error.message : describeError(error) };
    }
  };
  return {
    get: (pathOrLink, signal) => send("GET", pathOrLink, signal),
    post: (path, signal) => send("POST", path, signal),
  };
}

async function read({ status, headers, readableStreamBody }: PipelineResponse): Promise<ArmAnswer> {
  if (status === 404) return { kind: "not-found" };
  if (status === 401 || status === 403) return { kind: "refused", status };
  const retryAfterMs = retryAfter(headers.get("retry-after"), headers.get("date"));
  if (status === 429 || (status === 503 && retryAfterMs !== undefined))
    return { kind: "throttled", status, retryAfterMs };
  if (status !== 200) return { kind: "failed", why: `HTTP ${String(status)}` };
  const text = await readText(readableStreamBody);
  if (text === undefined) return { kind: "failed", why: `the answer is longer than ${String(answerLimit)} bytes` };
  const json = parseJson(text);
  return json.kind === "value"
    ? { kind: "found", value: json.value }
    : { kind: "failed", why: `the answer cannot be read: ${json.reason}` };
}

/** A page of 100 instances, each with the largest status that Azure keeps, has about 13 MB. */
const answerLimit = 32 * 1024 * 1024;

/** Undefined for an answer that is too long; the rest of it is not read. */
async function readText(body: NodeJS.ReadableStream | undefined): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    const piece = typeof part === "string" ? Buffer.from(part) : part;
    bytes += piece.length;
    // Leaving the loop destroys the stream.
    if (bytes > answerLimit) return undefined;
    parts.push(piece);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Milliseconds. ARM sends seconds; a proxy before it may send a date, which counts from the date of the answer (RFC 9110, 10.2.3). */
function retryAfter(header: string | undefined, date: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/u.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.parse(date ?? "");
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
