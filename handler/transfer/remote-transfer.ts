import { httpTransfer } from "./http-transfer.ts";
import type { RemoteRequest } from "./remote-request.ts";
import { storageAccountOf } from "./storage-host.ts";
import type { OpenTransfer } from "./transfer.ts";

/**
 * Chooses how an address is read. Key and token are only ever used for a blob endpoint over https; an address that carries
 * its own SAS, and every other host, gets a plain GET.
 */
export function remoteTransfer(request: RemoteRequest, url: URL): OpenTransfer {
  const { storage } = request.settings;
  const plain = httpTransfer(request.host, url);
  const account = (request.remote?.storageAccountOf ?? storageAccountOf)(url);
  if (url.searchParams.has("sig")) return plain;
  if (account === undefined) return storage.kind !== "anonymous" && isBlobOverHttp(url) ? explained(plain) : plain;
  switch (storage.kind) {
    case "anonymous":
      return plain;
    case "account-key":
      return account === storage.account ? blobTransfer(request, url) : plain;
    case "managed-identity":
      return plainThenToken(plain, blobTransfer(request, url));
  }
}

function isBlobOverHttp(url: URL): boolean {
  return url.protocol === "http:" && storageAccountOf(new URL(url.href.replace(/^http:/u, "https:"))) !== undefined;
}

/** A private blob that is asked for over http is refused because nothing was sent, not because of a SAS token. */
function explained(plain: OpenTransfer): OpenTransfer {
  return async (signal) => {
    const opened = await plain(signal);
    if (opened.kind === "open" || opened.retry !== "never") return opened;
    return {
      ...opened,
      reason: `${opened.reason}; the storage key or identity was not sent, because the address is http`,
      hint: "Write https in fileUris: a key and a token are sent over https only",
    };
  };
}

/** As Custom Script does: a public blob needs no token, and works although the identity has no role. */
function plainThenToken(plain: OpenTransfer, withToken: OpenTransfer): OpenTransfer {
  let needsToken = false;
  return async (signal) => {
    if (!needsToken) {
      const opened = await plain(signal);
      if (opened.kind === "open" || opened.retry !== "never") return opened;
      needsToken = true;
    }
    return await withToken(signal);
  };
}

/** The Azure SDK is loaded here and only here: a plain check never pays for it. */
function blobTransfer(request: RemoteRequest, url: URL): OpenTransfer {
  return async (signal) => {
    const { openBlob } = await import("./azure-storage.ts");
    return await openBlob({ ...request, url, signal });
  };
}
