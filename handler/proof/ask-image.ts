import type { Host } from "../host.ts";
import { askCompute } from "../machine/instance-metadata.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";

/** The image that this machine was made from; undefined where the metadata service does not answer or names none. */
export async function askImage(host: Pick<Host, "root" | "env">, signal: AbortSignal): Promise<string | undefined> {
  return imageOf(await askCompute(host, signal));
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
