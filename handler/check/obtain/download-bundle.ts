import { HandlerError } from "../../errors/handler-error.ts";
import { defaultBaseUri } from "../../settings/default-base-uri.ts";
import { describeUrl } from "../../transfer/describe-url.ts";
import { download } from "../../transfer/download.ts";
import { memorySink } from "../../transfer/download-sinks.ts";
import { parseDownloadUrl } from "../../transfer/download-url.ts";
import type { Obtain } from "./obtain-request.ts";
import type { ReadBundleFile } from "./read-bundle.ts";
import { remoteTransfer } from "../../transfer/remote-transfer.ts";

export interface BundleSource {
  /** As it may be printed. */
  readonly description: string;
  readonly read: ReadBundleFile;
}

/** One source per base URI, in their order; `leftMs` is what is left of the share of the deadline. */
export function bundleSources(request: Obtain<"bundle">, leftMs: () => number): readonly BundleSource[] {
  const { check } = request.settings;
  const bases = check.baseUris.map((base) => base.reveal());
  return (bases.length === 0 ? [defaultBaseUri] : bases).flatMap((base) => {
    if (!base.includes("{version}")) return [toSource(request, base, leftMs)];
    if (check.version === undefined) return [];
    return [toSource(request, base.replaceAll("{version}", encodeURIComponent(check.version)), leftMs)];
  });
}

function toSource(request: Obtain<"bundle">, base: string, leftMs: () => number): BundleSource {
  return {
    description: describeUrl(base),
    read: async (name, maxBytes) => {
      const url = fileUrl(parseDownloadUrl(base), name);
      const description = describeUrl(url.href);
      const timeoutMs = leftMs();
      if (timeoutMs <= 0)
        throw new HandlerError("downloadTimedOut", `Cannot download ${description}: no time is left for it`);
      const sink = memorySink();
      await download({
        host: request.host,
        description,
        open: remoteTransfer(request, url),
        sink,
        maxBytes,
        timeoutMs,
        stallMs: Math.min(timeoutMs, request.remote?.stallMs ?? 15_000),
        signal: request.signal,
        seed: request.identity.vmId,
      });
      return sink.bytes();
    },
  };
}

/** The file's name goes below the path; a SAS in the query stays. */
function fileUrl(base: URL, name: string): URL {
  const url = new URL(base);
  url.pathname = url.pathname.endsWith("/") ? `${url.pathname}${name}` : `${url.pathname}/${name}`;
  return url;
}
