import { isSystemRoot } from "../files/system-root.ts";
import type { Host } from "../host.ts";

/** Azure Instance Metadata Service: what it calls `compute`, the VM's own size, image and name. */
const endpoint = "http://169.254.169.254/metadata/instance/compute";
const apiVersion = "2021-02-01";
const limitMs = 2000;
const mostBytes = 256 * 1024;

/**
 * The compute document of this machine as JSON text, "" where the service does not answer within two seconds or until the signal. Never through
 * a proxy, which would answer for another machine; by node:http, which loads in a tenth of the time of `fetch`.
 */
export async function askCompute(host: Pick<Host, "root" | "env">, signal?: AbortSignal): Promise<string> {
  // Below a scratch root, where no real machine is, the endpoint may be named; on a real machine nothing can divert it.
  const asked = isSystemRoot(host.root) ? endpoint : host.env["CAPZ_BOOTSTRAP_METADATA_ENDPOINT"];
  if (asked === undefined) return "";
  const limit = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal === undefined ? [] : [signal])]);
  return await get(`${asked}?api-version=${apiVersion}&format=json`, limit).catch(() => "");
}

function get(url: string, signal: AbortSignal): Promise<string> {
  const { Agent, request } = process.getBuiltinModule("node:http");
  return new Promise((resolve, reject) => {
    // An agent of its own: the global one may have been told of a proxy.
    const options = { headers: { Metadata: "true" }, signal, agent: new Agent() };
    const asked = request(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        if (body.length < mostBytes) body += part;
      });
      response.once("end", () => {
        resolve(response.statusCode === 200 ? body : "");
      });
      response.once("error", reject);
    });
    asked.once("error", reject);
    asked.end();
  });
}
