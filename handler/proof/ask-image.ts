import type { Host } from "../host.ts";
import { isSystemRoot } from "../files/system-root.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";

/** Azure Instance Metadata Service: storageProfile.imageReference of this machine. */
const imdsEndpoint = "http://169.254.169.254/metadata/instance/compute";
const apiVersion = "2021-02-01";
const limitMs = 2000;
const mostBytes = 256 * 1024;

/** The image that this machine was made from; undefined where the service does not answer or names none. Never through a proxy. */
export async function askImage(host: Pick<Host, "root" | "env">, signal: AbortSignal): Promise<string | undefined> {
  // Below a scratch root, where no real machine is, the endpoint may be named; on a real machine nothing can divert it.
  const endpoint = isSystemRoot(host.root) ? imdsEndpoint : host.env["CAPZ_BOOTSTRAP_METADATA_ENDPOINT"];
  if (endpoint === undefined) return undefined;
  const body = await get(`${endpoint}?api-version=${apiVersion}&format=json`, signal).catch(() => "");
  return imageOf(body);
}

/** A gallery's or managed image has an id; one of the marketplace has four names. */
export function imageOf(body: string): string | undefined {
  const parsed = parseJson(body);
  const compute = parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value : {};
  const storage = isJsonObject(compute["storageProfile"]) ? compute["storageProfile"] : {};
  const reference = isJsonObject(storage["imageReference"]) ? storage["imageReference"] : {};
  const ids = ["id", "communityGalleryImageId", "sharedGalleryImageId"].map((key) => textOf(reference[key]));
  const names = ["publisher", "offer", "sku", "version"].map((key) => textOf(reference[key]));
  const id = ids.find((text) => text !== "");
  if (id !== undefined) return id;
  return names.every((name) => name !== "") ? names.join(":") : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 400) : "";
}

function get(url: string, signal: AbortSignal): Promise<string> {
  const { Agent, request } = process.getBuiltinModule("node:http");
  return new Promise((resolve, reject) => {
    // An agent of its own: the global one may have been told of a proxy.
    const agent = new Agent();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const asked = request(url, { headers: { Metadata: "true" }, signal: limit, agent }, (response) => {
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
