import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineRequest,
  type TlsSettings,
} from "@azure/core-rest-pipeline";
import { mask, withoutQuery } from "../mask.ts";
import { errorText, PublishError } from "../publish-error.ts";
import type { Clock } from "./publisher.ts";

export interface HttpRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TransportOptions {
  readonly clock: Clock;
  readonly certificate?: ClientCertificate;
  /** PEM of further roots to trust. */
  readonly ca?: string;
}

export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

const maxTries = 6;
const maxRedirects = 4;
/** Over a whole request and its answer. */
const timeoutMs = 60_000;
/** Without the policies of a pipeline: who is asked again, when, and where a redirect may lead, is decided here. */
const client = createDefaultHttpClient();

/**
 * Sends a request until the service answers for good: 429 and 5xx and lost connections are tried again, as the service
 * asks (Retry-After) or with growing pauses; a 307 is sent again with verb and body. The connection is kept alive,
 * because the classic service asks for the client certificate only after the first request.
 */
export function createTransport(options: TransportOptions): Transport {
  // One object for all requests: the client keeps a pool of connections for each.
  const { certificate, ca } = options;
  const tls: TlsSettings = { ...certificate, ...(ca !== undefined && { ca }) };
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const end = await sendFollowing(request, tls).catch((error: unknown) => new Error(errorText(error)));
      if (!(end instanceof Error) && !isTemporary(end.status)) return end;
      if (attempt === maxTries) throw givenUp(request, end);
      await options.clock.sleep(pauseMs(end, attempt));
    }
  };
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function pauseMs(end: HttpAnswer | Error, attempt: number): number {
  const asked = end instanceof Error ? Number.NaN : Number(end.headers["retry-after"]);
  return Number.isFinite(asked) ? Math.min(asked * 1000, 300_000) : 1000 * 2 ** (attempt - 1);
}

function givenUp(request: HttpRequest, end: HttpAnswer | Error): PublishError {
  const what = `${request.method} ${withoutQuery(request.url)}`;
  const why = end instanceof Error ? mask(end.message) : describeAnswer(end);
  return new PublishError(
    `${what} failed ${maxTries} times: ${why}`,
    "Run the step again later: every step can be repeated.",
  );
}

/** Status, request id and the first words of the body: what a support case needs, without secrets. */
export function describeAnswer(answer: HttpAnswer): string {
  const id = answer.headers["x-ms-request-id"] ?? "none";
  return `status ${answer.status}, request id ${id}, ${mask(answer.body).slice(0, 400)}`;
}

async function sendFollowing(request: HttpRequest, tls: TlsSettings): Promise<HttpAnswer> {
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(current, tls);
    const location = answer.headers["location"];
    if ((answer.status !== 307 && answer.status !== 308) || location === undefined) return answer;
    const next = new URL(location, current.url);
    // The token goes along: only to the same machine, only as safely as before.
    const origin = new URL(current.url);
    if (redirects === maxRedirects || next.hostname !== origin.hostname || next.protocol !== origin.protocol) {
      throw new Error(`refused to follow the redirect to ${next.origin}`);
    }
    current = { ...request, url: next.href };
  }
}

async function sendOnce({ url, method, headers, body }: HttpRequest, tlsSettings: TlsSettings): Promise<HttpAnswer> {
  // The client's own time-out ends with the headers, and its timer outlives a lost connection.
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const request = createPipelineRequest({
    url,
    method,
    headers: createHttpHeaders({ ...headers }),
    ...(body !== undefined && { body }),
    abortSignal,
    allowInsecureConnection: true,
  });
  request.tlsSettings = tlsSettings;
  const answer = await client.sendRequest(request).catch((error: unknown) => {
    throw abortSignal.aborted ? new Error(`no whole answer within ${timeoutMs / 1000} s`) : error;
  });
  return { status: answer.status, headers: answer.headers.toJSON(), body: answer.bodyAsText ?? "" };
}
