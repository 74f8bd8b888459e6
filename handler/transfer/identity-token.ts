import http from "node:http";
import { HandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { isSystemRoot } from "../files/system-root.ts";
import type { StorageAccess } from "../settings/settings.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { parseRetryAfter } from "./transfer.ts";

const imdsEndpoint = "http://169.254.169.254/metadata/identity/oauth2/token";
/** The same in every Azure cloud. */
const storageResource = "https://storage.azure.com/";
const answerLimitMs = 15_000;
const maxAnswerBytes = 64 * 1024;
/** Azure's guidance for IMDS: 410 means an update of the endpoint, which can take 70 s; 404, 429 and 5xx come back too. */
const retryForMs = 75_000;

export interface TokenRequest {
  readonly host: Pick<Host, "env" | "root" | "monotonicMs" | "sleep" | "now">;
  readonly identity: Extract<StorageAccess, { kind: "managed-identity" }>;
  readonly signal: AbortSignal;
  readonly seed: string;
  /** For tests. */
  readonly endpoint?: string;
}

export interface IdentityToken {
  readonly token: string;
  readonly expiresOnTimestamp: number;
}

/** A token for Azure storage from the machine's identity endpoint, asked directly and never through a proxy. */
export async function identityToken(request: TokenRequest): Promise<IdentityToken> {
  const { host } = request;
  const startedAt = host.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(request);
    if (answer.kind === "answer" && answer.status === 200) return readToken(answer.body, host.now());
    const retryAfterMs = answer.kind === "answer" ? parseRetryAfter(answer.retryAfter, host.now()) : undefined;
    const delay = retryDelayMs({ tries, retryAfterMs, seed: request.seed });
    const inTime = host.monotonicMs() - startedAt + delay < retryForMs;
    if (!heals(answer, tries) || !inTime || request.signal.aborted) throw toError(answer);
    await host.sleep(delay, request.signal);
  }
}

type Answer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string; readonly retryAfter: string | undefined }
  | { readonly kind: "unreachable"; readonly reason: string };

function heals(answer: Answer, tries: number): boolean {
  if (answer.kind === "unreachable") return tries < 4;
  if (answer.status === 410) return true;
  return (answer.status === 404 || answer.status === 429 || answer.status >= 500) && tries < 5;
}

/** node:http with an agent of its own: the global one may have been told to use a proxy. */
async function ask(request: TokenRequest): Promise<Answer> {
  return await new Promise<Answer>((resolve) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(answerLimitMs)]);
    const options = { agent: new http.Agent(), signal, headers: { Metadata: "true" } };
    const call = http.get(tokenUrl(request), options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (body.length < maxAnswerBytes) body += chunk;
      });
      response.on("end", () => {
        const retryAfter = response.headers["retry-after"];
        resolve({ kind: "answer", status: response.statusCode ?? 0, body, retryAfter });
      });
      response.on("error", (error) => {
        resolve({ kind: "unreachable", reason: error.message });
      });
    });
    call.on("error", (error) => {
      resolve({ kind: "unreachable", reason: error.name === "TimeoutError" ? "no answer in time" : error.message });
    });
  });
}

function tokenUrl({ host, identity, endpoint }: TokenRequest): URL {
  // Below a scratch root, where no real machine is, the endpoint may be named; on a real machine nothing can divert it.
  const named = isSystemRoot(host.root) ? undefined : host.env["CAPZ_BOOTSTRAP_IDENTITY_ENDPOINT"];
  const url = new URL(endpoint ?? named ?? imdsEndpoint);
  url.searchParams.set("api-version", "2018-02-01");
  url.searchParams.set("resource", storageResource);
  if (identity.clientId !== undefined) url.searchParams.set("client_id", identity.clientId);
  if (identity.objectId !== undefined) url.searchParams.set("object_id", identity.objectId);
  return url;
}

function readToken(body: string, now: Date): IdentityToken {
  const parsed = parseJson(body);
  const value = parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value : {};
  const token = value["access_token"];
  if (typeof token !== "string" || token === "") {
    throw new HandlerError("identityFailed", "The identity endpoint answered without an access_token");
  }
  const expiresOn = Number(value["expires_on"]);
  return { token, expiresOnTimestamp: expiresOn > 0 ? expiresOn * 1000 : now.getTime() + 300_000 };
}

function toError(answer: Answer): HandlerError {
  if (answer.kind === "unreachable") {
    return new HandlerError("identityFailed", `The identity endpoint cannot be reached: ${answer.reason}`);
  }
  const told = `the identity endpoint answered ${String(answer.status)}${errorOf(answer.body)}`;
  // IMDS says 400 "Identity not found" for an identity that is not assigned, 404 where the machine has none at all.
  if (answer.status === 400 || answer.status === 404) {
    return new HandlerError("identityNotFound", `No token for the managed identity: ${told}`);
  }
  if (answer.status === 401 || answer.status === 403) {
    return new HandlerError("identityDenied", `No token for the managed identity: ${told}`);
  }
  return new HandlerError("identityFailed", `No token for the managed identity: ${told}`);
}

function errorOf(body: string): string {
  const parsed = parseJson(body);
  const code = parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value["error"] : undefined;
  return typeof code === "string" && /^\w{1,60}$/u.test(code) ? ` (${code})` : "";
}
