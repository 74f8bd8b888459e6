import { httpTransfer } from "./http-transfer.ts";
import type { RemoteRequest } from "./remote-request.ts";
import { storageAccountOf } from "../text/storage-host.ts";
import type { OpenTransfer } from "./transfer.ts";

/**
 * Chooses how an address is read. Key and token are only ever used for a blob endpoint over https; an address that carries
 * its own SAS, and every other host, gets a plain GET.
 */
export function remoteTransfer(request: RemoteRequest, url: URL): OpenTransfer {
  const { storage } = request.settings;
  const plain = withReasonOfRefusal(request, url, httpTransfer(request.host, url));
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

/** A refusal of a plain request: of a SAS token that is there, or for want of any. */
function withReasonOfRefusal({ host, settings }: RemoteRequest, url: URL, plain: OpenTransfer): OpenTransfer {
  return async (signal) => {
    const opened = await plain(signal);
    if (opened.kind === "open" || opened.id !== "downloadDenied") return opened;
    if (!url.searchParams.has("sig"))
      return settings.storage.kind === "anonymous" ? { ...opened, hint: noProof(url) } : opened;
    const expiry = Date.parse(url.searchParams.get("se") ?? "");
    if (Number.isNaN(expiry) || expiry > host.now().getTime()) return { ...opened, hint: tokenRefused };
    const since = new Date(expiry).toISOString().replace(".000Z", "Z");
    return {
      ...opened,
      reason: `its SAS token expired at ${since}; ${opened.reason}`,
      hint: "Write an address with a new SAS token",
    };
  };
}

const tokenRefused = "Check the SAS token's permissions, start and key, and the firewall of the storage account";

function noProof({ username }: URL): string {
  return username === ""
    ? "Give the address a SAS token, or set managedIdentity or storageAccountKey: nothing proved who asks"
    : "Correct the user and the password in the address";
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
