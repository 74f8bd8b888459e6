import { request as httpRequest, type IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
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

export interface ClientCertificate {
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
const timeoutMs = 60_000;

/**
 * Sends a request until the service answers for good: 429 and 5xx and lost connections are tried again, as the service
 * asks (Retry-After) or with growing pauses; a 307 is sent again with verb and body. The connection is kept alive,
 * because the classic service asks for the client certificate only after the first request.
 */
export function createTransport(options: TransportOptions): Transport {
  const agent = new Agent({ keepAlive: true, ...options.certificate, ca: options.ca });
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const end = await sendFollowing(request, agent).catch((error: unknown) => new Error(errorText(error)));
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

async function sendFollowing(request: HttpRequest, agent: Agent): Promise<HttpAnswer> {
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(current, agent);
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

function sendOnce(request: HttpRequest, agent: Agent): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const isTls = request.url.startsWith("https:");
    const body = request.body ?? "";
    const headers = { ...request.headers, "content-length": String(Buffer.byteLength(body)) };
    const options = { method: request.method, headers, timeout: timeoutMs };
    const onAnswer = (message: IncomingMessage): void => {
      readAnswer(message).then(resolve, reject);
    };
    const outgoing = isTls
      ? httpsRequest(request.url, { ...options, agent }, onAnswer)
      : httpRequest(request.url, options, onAnswer);
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function readAnswer(message: IncomingMessage): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    message.on("data", (part: Buffer) => parts.push(part));
    message.once("error", reject);
    message.once("aborted", () => {
      reject(new Error("the connection was lost in mid-answer"));
    });
    message.once("end", () => {
      const headers = Object.entries(message.headers).map(
        ([name, value]) => [name, Array.isArray(value) ? value.join(",") : value] as const,
      );
      const body = Buffer.concat(parts).toString("utf8");
      resolve({ status: message.statusCode ?? 0, headers: Object.fromEntries(headers), body });
    });
  });
}
