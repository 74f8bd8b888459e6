import {
  BlockBlobClient,
  RestError,
  StorageSharedKeyCredential,
  type StoragePipelineOptions,
} from "@azure/storage-blob";
import { errorText, HandlerError } from "../errors/handler-error.ts";
import { identityToken } from "./identity-token.ts";
import type { RemoteRequest } from "./remote-request.ts";
import { storageAccountOf } from "../text/storage-host.ts";
import {
  failureOfError,
  failureOfStatus,
  type OpenedTransfer,
  type TransferFailure,
  type UploadResult,
} from "./transfer.ts";
import { proxyForUrl } from "./use-proxy.ts";

/*
 * The only file that loads the Azure SDK. Imported dynamically, so that the program starts without it.
 * The SDK's own retries and redirects are off: download.ts retries, and a key or token must not follow a redirect.
 */

export interface BlobRequest extends RemoteRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
}

/** Opens a blob with the account key or the managed identity of the settings. */
export async function openBlob(request: BlobRequest): Promise<OpenedTransfer | TransferFailure> {
  try {
    const answer = await clientOf(request).download(0, undefined, { abortSignal: request.signal, maxRetryRequests: 0 });
    const body = answer.readableStreamBody;
    if (body === undefined) return failureOfError(undefined);
    return { kind: "open", body: toBytes(body), expectedBytes: answer.contentLength };
  } catch (error) {
    request.signal.throwIfAborted();
    return toFailure(request, error);
  }
}

/** Writes a blob to an address with a SAS, or with the managed identity or key of the settings; never throws. */
export async function uploadBlob(request: BlobRequest, bytes: Uint8Array, contentType: string): Promise<UploadResult> {
  try {
    await clientOf(request).upload(bytes, bytes.length, {
      abortSignal: request.signal,
      blobHTTPHeaders: { blobContentType: contentType },
    });
    return { kind: "uploaded" };
  } catch (error) {
    if (error instanceof RestError && error.statusCode !== undefined)
      return { kind: "failed", reason: toFailure(request, error).reason };
    return { kind: "failed", reason: error instanceof HandlerError ? errorText(error) : failureOfError(error).reason };
  }
}

function clientOf(request: BlobRequest): BlockBlobClient {
  const { settings, url } = request;
  const { storage } = settings;
  const account = (request.remote?.storageAccountOf ?? storageAccountOf)(url);
  const options = pipelineOptions(request);
  if (account === undefined || url.searchParams.has("sig")) return new BlockBlobClient(url.href, undefined, options);
  switch (storage.kind) {
    case "anonymous":
      return new BlockBlobClient(url.href, undefined, options);
    case "account-key":
      if (account !== storage.account) return new BlockBlobClient(url.href, undefined, options);
      return new BlockBlobClient(url.href, new StorageSharedKeyCredential(account, storage.key.reveal()), options);
    case "managed-identity": {
      const getToken = () =>
        identityToken({
          host: request.host,
          identity: storage,
          signal: request.signal,
          seed: url.hostname,
          ...(request.remote?.identityEndpoint === undefined ? {} : { endpoint: request.remote.identityEndpoint }),
        });
      return new BlockBlobClient(url.href, { getToken }, options);
    }
  }
}

/** The client hands further options on to its core pipeline (@azure/core-rest-pipeline: PipelineOptions). */
type CoreOptions = StoragePipelineOptions & { readonly redirectOptions: { readonly maxRetries: number } };

function pipelineOptions({ settings, remote, host, url }: BlobRequest): CoreOptions {
  const proxy = proxyForUrl(url, settings.proxy, host.env);
  return {
    retryOptions: { maxTries: 1 },
    redirectOptions: { maxRetries: 0 },
    ...(remote?.storageCertificate === undefined ? {} : { tlsOptions: { ca: remote.storageCertificate } }),
    ...(proxy === undefined ? {} : { proxyOptions: toProxyOptions(proxy) }),
  };
}

function toProxyOptions(proxy: URL) {
  return {
    host: `${proxy.protocol}//${proxy.hostname}`,
    port: Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80),
    ...(proxy.username === ""
      ? {}
      : { username: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) }),
  };
}

function toFailure(request: BlobRequest, error: unknown): TransferFailure {
  if (error instanceof HandlerError) throw error;
  if (!(error instanceof RestError) || error.statusCode === undefined) return failureOfError(error);
  const headers = error.response?.headers;
  const failure = failureOfStatus(
    { status: error.statusCode, header: (name) => headers?.get(name) },
    request.host.now(),
  );
  const denied = failure.id === "downloadDenied" && request.settings.storage.kind === "managed-identity";
  return denied ? { ...failure, id: "identityDenied" } : failure;
}

async function* toBytes(body: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
