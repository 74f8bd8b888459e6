import http from "node:http";
import https from "node:https";
import { parseJson } from "../../handler/text/parse-json.ts";
import type { Connection } from "./connection.ts";
import { describeError, errorOfStatus, KubeError } from "./kube-error.ts";

export interface KubeRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** "/apis/cluster.x-k8s.io/v1beta2/machines" */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** A page of 500 large objects is some MiB; more than this is no answer of an API server. */
const bodyLimit = 64 * 1024 * 1024;
/** Also a slow list ends: the API server itself gives up after a minute. */
const answerMs = 70_000;

/** The JSON of a good answer; throws a KubeError for any other and for none. */
export async function request(connection: Connection, asked: KubeRequest): Promise<unknown> {
  const what = `${asked.method} ${asked.path}`;
  const limit = AbortSignal.timeout(answerMs);
  const signal = asked.signal === undefined ? limit : AbortSignal.any([asked.signal, limit]);
  const response = await open(connection, { ...asked, signal });
  const text = await readText(response, what, signal);
  const status = response.statusCode ?? 0;
  const json = parseJson(text);
  if (status < 200 || status > 299) {
    if (status === 401) connection.forgetToken();
    throw errorOfStatus(what, {
      status,
      body: json.kind === "value" ? json.value : undefined,
      retryAfterMs: retryAfterMs(response),
    });
  }
  if (json.kind === "malformed") throw new KubeError(`${what}: the answer cannot be read: ${json.reason}`, { status });
  return json.value;
}

/** Resolves with the headers; the body is the caller's. */
export async function open(connection: Connection, asked: KubeRequest): Promise<http.IncomingMessage> {
  const url = new URL(asked.path, connection.origin);
  for (const [key, value] of Object.entries(asked.query ?? {})) url.searchParams.set(key, value);
  const token = await connection.token();
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const headers = {
    accept: "application/json",
    "user-agent": "capz-bootstrap-cluster",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { "content-type": asked.contentType ?? "application/json", "content-length": String(Buffer.byteLength(body)) }),
  };
  const start = url.protocol === "https:" ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const sent = start(
      url,
      {
        method: asked.method,
        agent: connection.agent,
        headers,
        ...(asked.signal === undefined ? {} : { signal: asked.signal }),
      },
      resolve,
    );
    sent.on("error", (error) => {
      reject(
        new KubeError(`${asked.method} ${asked.path}: no answer: ${describeError(error)}`, { status: 0, cause: error }),
      );
    });
    sent.end(body);
  });
}

function readText(response: http.IncomingMessage, what: string, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      response.destroy();
      reject(new KubeError(`${what}: ${why}`, { status: 0 }));
    };
    signal.addEventListener(
      "abort",
      () => {
        fail("the answer did not end in time");
      },
      { once: true },
    );
    response.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > bodyLimit) fail(`the answer is longer than ${String(bodyLimit)} bytes`);
      else parts.push(part);
    });
    response.on("end", () => {
      if (response.complete) resolve(Buffer.concat(parts).toString("utf8"));
      else fail("the connection ended in the middle of the answer");
    });
    response.on("error", (error) => {
      fail(`the answer broke off: ${describeError(error)}`);
    });
  });
}

/** Milliseconds of a Retry-After in seconds; API servers send no dates. */
export function retryAfterMs(response: http.IncomingMessage): number | undefined {
  const seconds = Number(response.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
