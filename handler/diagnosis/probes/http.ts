import type { Host } from "../../host.ts";
import { failed, passed, type Answer } from "./probe.ts";
import { describeConnectError } from "./tcp.ts";

export interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Any answer but a server error shows that the way is open; the body is thrown away. */
export async function askHttp(host: Host, { url, headers, signal }: HttpQuestion): Promise<Answer> {
  try {
    const response = await host.fetch(url, { headers: { ...headers }, signal, redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500 ? passed(`answers, HTTP ${response.status}`) : failed(`HTTP ${response.status}`);
  } catch (error) {
    return failed(describeFetchError(error));
  }
}

/** undici wraps the reason of a failed connection. */
export function describeFetchError(error: unknown): string {
  return describeConnectError(causeOf(error) ?? error);
}

export function causeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined;
}
