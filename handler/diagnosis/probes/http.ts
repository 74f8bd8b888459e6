import { failed, passed, type Answer } from "./probe.ts";
import { describeConnectError } from "./tcp.ts";

export interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Any answer but a server error shows that the way is open; the body is thrown away. */
export async function askHttp(question: HttpQuestion): Promise<Answer> {
  try {
    const { status } = await askDirectly(question);
    return status < 500 ? passed(`answers, HTTP ${status}`) : failed(`HTTP ${status}`);
  } catch (error) {
    return failed(describeConnectError(error));
  }
}

export interface DirectAnswer {
  readonly status: number;
  readonly date: string | undefined;
}

/**
 * GET without a proxy, whatever the environment or the settings say: these questions are for addresses that only this machine
 * reaches (metadata service, wire server, itself), and a proxy would answer for another one. Follows no redirect.
 */
export async function askDirectly({ url, headers, signal }: HttpQuestion): Promise<DirectAnswer> {
  const { Agent, request } = process.getBuiltinModule("node:http");
  return new Promise((resolve, reject) => {
    // An agent of its own: the global one may have been told of a proxy (use-proxy.ts, --use-env-proxy).
    const asked = request(url, { headers: { ...headers }, signal, agent: new Agent() }, (response) => {
      resolve({ status: response.statusCode ?? 0, date: response.headers.date });
      response.destroy();
    });
    asked.once("error", reject);
    asked.end();
  });
}

/** undici wraps the reason of a failed connection. */
export function describeFetchError(error: unknown): string {
  return describeConnectError(causeOf(error) ?? error);
}

export function causeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined;
}
