import type { Platform } from "../platform/platform.ts";

/**
 * Where a downloaded file lies below the working folder, as with the Custom Script handlers: Linux keeps the name alone, Windows the folders
 * of a blob behind its container, too, and of no other address. Undefined where that is no usable name.
 */
export function filePlaceOfUrl(url: URL, system: Platform["name"] | undefined): readonly string[] | undefined {
  const names = namesOf(url);
  const isKept = system === "windows" && isBlob(url);
  return isKept ? (names?.slice(1).every(isUsable) === true ? names.slice(1) : undefined) : names?.slice(-1);
}

/** Of any cloud, and of Azure Stack. */
function isBlob({ hostname }: URL): boolean {
  return hostname.includes(".blob.");
}

/** Decoded before it is taken apart, as there: `folder%2Fa.sh` is how some tools write a blob's address. */
function namesOf(url: URL): readonly string[] | undefined {
  const names = decode(url.pathname)?.split("/").slice(1);
  return names !== undefined && isUsable(names.at(-1) ?? "") ? names : undefined;
}

/** No name that leaves the folder, and no character that Windows refuses or reads as a stream. */
function isUsable(name: string): boolean {
  return !["", ".", ".."].includes(name) && !/[\u0000-\u001f"*/:<>?\\|]/u.test(name);
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
