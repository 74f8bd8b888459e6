import { HandlerError } from "../errors/handler-error.ts";
import type { SystemName } from "../settings/check-for-system.ts";
import { filePlaceOfUrl } from "../settings/file-name.ts";
import { describeUrl } from "./describe-url.ts";

/** An address of a download: http or https, with a host. Anything else is an error at once, without a try. */
export function parseDownloadUrl(address: string): URL {
  const url = URL.parse(address.trim());
  if (url === null || url.hostname === "") {
    throw new HandlerError("downloadUrlInvalid", "Cannot download from one of the addresses, since it is not a URL", {
      hint: "Use an https URL, such as https://account.blob.core.windows.net/container/check.sh",
    });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new HandlerError(
      "downloadUrlInvalid",
      `Cannot download ${describeUrl(address)}: the scheme is "${url.protocol.slice(0, -1)}", allowed are https and http`,
    );
  }
  return url;
}

/** The downloaded file's names below the working folder: folders of a blob on Windows, and the name. */
export function filePlaceOf(url: URL, system: SystemName): readonly [...string[], string] {
  const [name, ...folders] = filePlaceOfUrl(url, system)?.toReversed() ?? [];
  if (name === undefined) {
    throw new HandlerError(
      "downloadUrlInvalid",
      `Cannot download ${describeUrl(url.href)}: its path does not end in a usable file name`,
    );
  }
  return [...folders.toReversed(), name];
}

export function isLoopback(url: URL): boolean {
  return url.hostname === "localhost" || url.hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(url.hostname);
}
