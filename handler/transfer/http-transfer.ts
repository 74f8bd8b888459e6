import type { Host } from "../host.ts";
import { describeUrl } from "./describe-url.ts";
import { isLoopback } from "./download-url.ts";
import {
  failureOfError,
  failureOfStatus,
  type OpenedTransfer,
  type OpenTransfer,
  type TransferFailure,
} from "./transfer.ts";

const maxRedirects = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A plain GET. User and password of the address go to its own host only, never to where a redirect leads. */
export function httpTransfer(host: Pick<Host, "fetch" | "now">, start: URL): OpenTransfer {
  return async (signal) => {
    let url = withoutUser(start);
    let headers = requestHeaders(start);
    for (let hops = 0; ; hops += 1) {
      const response = await request(host, url, { headers, signal });
      if ("kind" in response) return response;
      if (!redirectStatuses.has(response.status)) return await toTransfer(response, host.now());
      await response.body?.cancel();
      const next = URL.parse(response.headers.get("location") ?? "", url.href);
      const refusal = refuseRedirect(start, next, hops);
      if (refusal !== undefined || next === null)
        return { kind: "failed", id: "downloadFailed", reason: refusal ?? "", retry: "never" };
      headers = requestHeaders(undefined);
      url = withoutUser(next);
    }
  };
}

/** fetch rejects for network failures only; an abort is the caller's own doing and goes on upwards. */
async function request(
  host: Pick<Host, "fetch">,
  url: URL,
  init: { readonly headers: Headers; readonly signal: AbortSignal },
): Promise<Response | TransferFailure> {
  try {
    return await host.fetch(url.href, { ...init, redirect: "manual" });
  } catch (error) {
    init.signal.throwIfAborted();
    return failureOfError(error);
  }
}

async function toTransfer(response: Response, now: Date): Promise<OpenedTransfer | TransferFailure> {
  if (response.status !== 200) {
    await response.body?.cancel();
    return httpFailure(response, now);
  }
  // A stored encoding (blob with Content-Encoding: gzip) is undone by fetch; the length then counts other bytes.
  const encoded = (response.headers.get("content-encoding") ?? "identity") !== "identity";
  const length = response.headers.get("content-length");
  return {
    kind: "open",
    body: response.body ?? empty(),
    expectedBytes: encoded || length === null ? undefined : Number(length),
  };
}

export function httpFailure({ status, headers }: Response, now: Date): TransferFailure {
  return failureOfStatus({ status, header: (name) => headers.get(name) ?? undefined }, now);
}

async function* empty(): AsyncGenerator<Uint8Array> {
  // A 200 without body: nothing to yield.
}

/** An address that is protected never leads to one that is not. From plain http nothing is lost, but this machine's own services are not for others. */
function refuseRedirect(start: URL, next: URL | null, hops: number): string | undefined {
  if (next === null) return "the server redirected to an address that cannot be parsed";
  if (hops >= maxRedirects) return `the server redirected more than ${String(maxRedirects)} times`;
  if (next.protocol === "https:") return undefined;
  const refused = `the server redirected to ${describeUrl(next.href)}`;
  if (next.protocol !== "http:" || start.protocol !== "http:") return `${refused}, which is not https`;
  if (isLoopback(start)) return isLoopback(next) ? undefined : `${refused}, which is not https`;
  // What the user's own address names may lead to itself.
  const leadsAway = next.hostname !== start.hostname;
  return isOwn(next) && leadsAway ? `${refused}, which is a service of the machine's own` : undefined;
}

/** As /etc/hosts of the distributions names this machine to itself. */
const ownName = /^(?:localhost[46]?|ip6-localhost|ip6-loopback|loopback)(?:\.localdomain[46]?)?$/u;

/** Only this machine has what answers there: itself, its platform's services, its neighbours on the link. Other names are not looked up. */
function isOwn(url: URL): boolean {
  const name = url.hostname.replace(/\.{1,3}$/u, "");
  if (isLoopback(url) || ownName.test(name) || name.endsWith(".localhost")) return true;
  if (name.startsWith("[::") || /^\[fe[89ab]/u.test(name)) return true;
  return /^0(?:\.\d{1,3}){3}$/u.test(name) || name === "168.63.129.16" || name.startsWith("169.254.");
}

/** What every request of ours carries; user and password of an address as a header, since fetch takes no such address. */
export function requestHeaders(withUserOf: URL | undefined): Headers {
  const headers = new Headers({ "accept-encoding": "identity", "user-agent": "capz-bootstrap" });
  if (withUserOf !== undefined && withUserOf.username !== "") {
    const user = `${decoded(withUserOf.username)}:${decoded(withUserOf.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(user).toString("base64")}`);
  }
  return headers;
}

export function withoutUser(url: URL): URL {
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  return copy;
}

/** A password may hold a per cent sign that begins no escape: then it is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
