import { show, type ShownText } from "../text/shown-text.ts";
import type { ShownBytes } from "./shown-bytes.ts";
import { errorText } from "../errors/handler-error.ts";

export interface UploadReport {
  /** A container (the report gets a name in it) or a blob; may carry a SAS. */
  readonly uri: string;
  /** Name of the blob in a container. */
  readonly name: string;
  readonly bytes: ShownBytes;
  readonly contentType: string;
  readonly upload: (
    url: URL,
    bytes: Uint8Array,
    contentType: string,
  ) => Promise<{ readonly kind: "uploaded" } | { readonly kind: "failed"; readonly reason: string }>;
}

export type UploadOutcome = { readonly kind: "uploaded" } | { readonly kind: "failed"; readonly reason: ShownText };

/** Uploads the report; a value whatever happens, so that it can never change the verdict. */
export async function uploadReport({ uri, name, bytes, contentType, upload }: UploadReport): Promise<UploadOutcome> {
  try {
    const result = await upload(blobUrl(uri, name), bytes, contentType);
    return result.kind === "uploaded" ? result : { kind: "failed", reason: show(result.reason) };
  } catch (error) {
    return { kind: "failed", reason: show(errorText(error)) };
  }
}

/** `https://account/container?sas` names a container, a longer path or one that ends without "/" a blob of its own. */
export function blobUrl(uri: string, name: string): URL {
  const url = new URL(uri);
  const segments = url.pathname.split("/").filter(Boolean);
  if (segments.length < 2 || url.pathname.endsWith("/"))
    url.pathname = `/${[...segments, ...name.split("/")].map((part) => part).join("/")}`;
  return url;
}
