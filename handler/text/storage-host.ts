/** Blob endpoints of the Azure clouds (public, US Government, China). A token goes to these and to nothing that merely looks alike. */
const blobSuffixes = [".blob.core.windows.net", ".blob.core.usgovcloudapi.net", ".blob.core.chinacloudapi.cn"] as const;

/** The storage account that an address belongs to; undefined for every other host and for plain http. */
export function storageAccountOf(url: URL): string | undefined {
  if (url.protocol !== "https:" || url.port !== "") return undefined;
  const suffix = blobSuffixes.find((candidate) => url.hostname.endsWith(candidate));
  const account = suffix === undefined ? "" : url.hostname.slice(0, -suffix.length);
  return /^[\da-z]{3,24}$/u.test(account) ? account : undefined;
}
