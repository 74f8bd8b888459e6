import type { Host } from "../host.ts";
import type { Secret } from "../settings/secret.ts";

/** Azure's endpoints on the node itself: IMDS and the wire server answer nobody else. */
const neverProxied = "169.254.169.254,168.63.129.16";

/**
 * Sends the process's downloads through the proxy of the settings, which wins over one in the environment
 * (Node's --use-env-proxy reads that at start). The returned function ends it.
 */
export function useProxy(proxy: Secret | undefined, env: Host["env"]): () => void {
  if (proxy === undefined) return () => undefined;
  // Loaded only now: a supervisor that needs no proxy waits with a megabyte less.
  const http = process.getBuiltinModule("node:http");
  const address = proxy.reveal();
  const more = env["NO_PROXY"] ?? env["no_proxy"];
  const noProxy = more === undefined ? neverProxied : `${more},${neverProxied}`;
  return http.setGlobalProxyFromEnv({ HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: noProxy });
}
