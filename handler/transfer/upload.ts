import type { Secret } from "../settings/secret.ts";
import { httpFailure, requestHeaders, withoutUser } from "./http-transfer.ts";
import type { RemoteRequest } from "./remote-request.ts";
import { storageAccountOf } from "../text/storage-host.ts";
import { failureOfError, type UploadResult } from "./transfer.ts";
import { useProxy } from "./use-proxy.ts";

export interface UploadRequest extends RemoteRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** These two: where the address is not Azure storage. */
  readonly method: "PUT" | "POST";
  readonly authorization: Secret | undefined;
}

/** Sends bytes to Azure storage by its own client, to every other address by one request; never throws. */
export async function upload(request: UploadRequest, bytes: Uint8Array, contentType: string): Promise<UploadResult> {
  if (isAzureStorage(request.url, request.remote)) {
    const { uploadBlob } = await import("./azure-storage.ts");
    const result = await uploadBlob(request, bytes, contentType);
    return result.kind === "uploaded" ? { kind: "uploaded", location: request.url.href } : result;
  }
  const { settings, host } = request;
  const restoreProxy = useProxy(settings.proxy, host.env);
  try {
    return await sendOnce(request, bytes, contentType);
  } catch (error) {
    return { kind: "failed", reason: failureOfError(error).reason };
  } finally {
    restoreProxy();
  }
}

/** A SAS stands for storage under a name of the customer's own. */
export function isAzureStorage(url: URL, remote?: RemoteRequest["remote"]): boolean {
  return (remote?.storageAccountOf ?? storageAccountOf)(url) !== undefined || url.searchParams.has("sig");
}

/** A redirect is a failure: what is sent, and the right to send it, are for this address alone. */
async function sendOnce(
  { url, signal, method, authorization, host }: UploadRequest,
  bytes: Uint8Array,
  contentType: string,
): Promise<UploadResult> {
  const headers = requestHeaders(url);
  headers.set("content-type", contentType);
  if (authorization !== undefined) headers.set("authorization", authorization.reveal());
  const body = Buffer.from(bytes);
  const response = await host.fetch(withoutUser(url).href, { method, headers, body, signal, redirect: "manual" });
  await response.body?.cancel();
  if (!response.ok) return { kind: "failed", reason: httpFailure(response, host.now()).reason };
  // What was posted lies where the server says; what was put, where it was put.
  const location = method === "PUT" ? url.href : placeAt(url, response.headers.get("location"));
  return location === undefined ? { kind: "uploaded" } : { kind: "uploaded", location };
}

/** Characters of an address; a longer one would take the verdict's room. */
const longestPlace = 1000;

/** An address of the same server alone: another's name in a verdict would be its word and not ours. */
function placeAt(url: URL, location: string | null): string | undefined {
  const place = location === null ? null : URL.parse(location, url.href);
  return place?.origin === url.origin && place.href.length <= longestPlace ? place.href : undefined;
}
