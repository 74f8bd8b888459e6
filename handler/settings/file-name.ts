import type { Platform } from "../platform/platform.ts";

/**
 * Where a downloaded file lies below the working folder, as with the Custom Script handlers: Linux keeps the name alone, Windows the folders
 * of a blob behind its container, too, and of no other address. Undefined where that is no usable name.
 */
export function filePlaceOfUrl(url: URL, system: Platform["name"] | undefined): readonly string[] | undefined {
  const names = namesOf(url);
  if (system !== "windows" || !isBlob(url) || names === undefined || names.length === 1) return names?.slice(-1);
  // A blob of the root container has no container in its address; an empty folder's name is legal there.
  const kept = names.slice(1).filter((name) => name !== "");
  return kept.every((name) => isUsable(name) && !isOddOnWindows.test(name)) ? kept : undefined;
}

/** A device, or an end that Windows leaves out. */
const isOddOnWindows = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[. ]$/iu;

/** Of any cloud, and of Azure Stack. */
function isBlob({ hostname }: URL): boolean {
  return hostname.includes(".blob.");
}

/** Decoded before it is taken apart, as there: `folder%2Fa.sh` is how some tools write a blob's address. */
function namesOf(url: URL): readonly string[] | undefined {
  const parts = url.pathname.split("/").slice(1);
  const last = decode(parts.at(-1) ?? "");
  if (last === undefined) return undefined;
  // A folder that cannot be decoded is kept as it is written.
  const names = [...parts.slice(0, -1).map((part) => decode(part) ?? part), last].join("/").split("/");
  return isUsable(names.at(-1) ?? "") ? names : undefined;
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
