import type { Host } from "../host.ts";
import type { Secret } from "../settings/secret.ts";

/** Azure's endpoints on the node itself: IMDS and the wire server answer nobody else. */
const neverProxied = "169.254.169.254,168.63.129.16";

/**
 * Sends the process's downloads through the proxy of the settings, which wins over one in the environment. Node itself reads the
 * environment at start only, when the supervisor does not have the guest agent's variables yet. The returned function ends it.
 */
export function useProxy(proxy: Secret | undefined, env: Host["env"]): () => void {
  const proxies = proxiesFor(proxy, env);
  if (proxies === undefined) return () => undefined;
  // Loaded only now: a supervisor that needs no proxy waits with a megabyte less.
  const http = process.getBuiltinModule("node:http");
  return http.setGlobalProxyFromEnv({ ...proxies, NO_PROXY: noProxyFor(env) });
}

/** The proxy of a request to this address, for a client that takes one at a time; undefined for none. */
export function proxyForUrl(url: URL, proxy: Secret | undefined, env: Host["env"]): URL | undefined {
  const proxies = proxiesFor(proxy, env);
  const address = url.protocol === "https:" ? proxies?.HTTPS_PROXY : proxies?.HTTP_PROXY;
  if (address === undefined || isExempt(url, noProxyFor(env))) return undefined;
  return URL.parse(address) ?? undefined;
}

function proxiesFor(proxy: Secret | undefined, env: Host["env"]) {
  if (proxy !== undefined) return { HTTP_PROXY: proxy.reveal(), HTTPS_PROXY: proxy.reveal() };
  const http = env["http_proxy"] ?? env["HTTP_PROXY"];
  const https = env["https_proxy"] ?? env["HTTPS_PROXY"];
  if (http === undefined && https === undefined) return undefined;
  return {
    ...(http === undefined ? {} : { HTTP_PROXY: http }),
    ...(https === undefined ? {} : { HTTPS_PROXY: https }),
  };
}

function noProxyFor(env: Host["env"]): string {
  const more = env["no_proxy"] ?? env["NO_PROXY"];
  return more === undefined ? neverProxied : `${more},${neverProxied}`;
}

/** As Node's own clients read it: `*`, a host, a host with its port, or a domain that begins with a dot or `*.`. */
function isExempt(url: URL, noProxy: string): boolean {
  return noProxy
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => {
      if (entry === "*" || entry === url.hostname || entry === url.host) return true;
      const domain = entry.replace(/^\*/u, "");
      return domain.startsWith(".") && url.hostname.endsWith(domain);
    });
}
