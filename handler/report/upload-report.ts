import { show, type ShownText } from "../text/shown-text.ts";
import type { ShownBytes } from "./shown-bytes.ts";
import { errorText } from "../errors/handler-error.ts";

export interface UploadReport {
  /** Of the setting; may carry a SAS, a password or another credential. */
  readonly uri: string;
  /** Name of the report where the address is that of a container. */
  readonly name: string;
  readonly bytes: ShownBytes;
  readonly contentType: string;
  /** An address of Azure storage names a container by its first folder alone. */
  readonly isAzureStorage: boolean;
  readonly upload: (url: URL, bytes: Uint8Array, contentType: string) => Promise<UploadAnswer>;
}

type UploadAnswer =
  /** `location`: where it can be read; absent where that is not known. */
  { readonly kind: "uploaded"; readonly location?: string } | { readonly kind: "failed"; readonly reason: string };

export type UploadOutcome =
  /** `address`: without the credential with which it was written. */
  { readonly kind: "uploaded"; readonly address?: ShownText } | { readonly kind: "failed"; readonly reason: ShownText };

/** Uploads the report; a value whatever happens, so that it can never change the verdict. */
export async function uploadReport(request: UploadReport): Promise<UploadOutcome> {
  const { bytes, contentType, upload } = request;
  try {
    const result = await upload(reportUrl(request), bytes, contentType);
    if (result.kind === "failed") return { kind: "failed", reason: show(result.reason) };
    return result.location === undefined
      ? { kind: "uploaded" }
      : { kind: "uploaded", address: withoutCredential(result.location) };
  } catch (error) {
    return { kind: "failed", reason: show(errorText(error)) };
  }
}

/** A SAS and the keys of other services stand in the query, passwords before the host. */
function withoutCredential(location: string): ShownText {
  const { origin, pathname } = new URL(location);
  return show(`${origin}${pathname}`);
}

/**
 * A path that ends in "/" is a container, in which the report gets a name of its own; in Azure storage so is the first folder
 * (`https://account/container?sas`). Every other path is that of the report itself.
 */
export function reportUrl({ uri, name, isAzureStorage }: Pick<UploadReport, "uri" | "name" | "isAzureStorage">): URL {
  const url = new URL(uri);
  const segments = url.pathname.split("/").filter(Boolean);
  if (url.pathname.endsWith("/") || (isAzureStorage && segments.length < 2))
    url.pathname = `/${[...segments, ...name.split("/")].join("/")}`;
  return url;
}
