import type { Platform } from "../platform/platform.ts";
import { filePlaceOfUrl } from "./file-name.ts";
import { parseFileUri } from "./file-uri.ts";
import type { SettingsProblem } from "./settings.ts";
import type { SettingValues } from "./setting-values.ts";

/** What can be said of the files before the first byte moves: names that collide, pins that differ, keys that are not sent. */
export function checkFiles(
  values: SettingValues,
  system: Platform["name"] | undefined,
): {
  readonly problems: readonly SettingsProblem[];
  readonly warnings: readonly SettingsProblem[];
} {
  const files = values.list("fileUris").map((text, index) => ({ ...parseFileUri(text), entry: index + 1 }));
  const addresses = files.map(({ uri, sha256, entry }) => ({ url: new URL(uri.reveal()), sha256, entry }));
  return { problems: collisions(addresses, system), warnings: keyOverHttp(values, addresses) };
}

interface Address {
  readonly url: URL;
  readonly sha256: string | undefined;
  readonly entry: number;
}

/** The same address twice is one file; two addresses for one name, or two pins for one address, contradict each other. */
function collisions(addresses: readonly Address[], system: Platform["name"] | undefined): readonly SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const byName = new Map<string, Address>();
  for (const address of addresses) {
    const name = filePlaceOfUrl(address.url, system)?.join("/");
    if (name === undefined) {
      const message = `fileUris: entry ${address.entry} does not end in a usable file name; allowed: an address whose path ends in the file's name`;
      problems.push({ key: "fileUris", message });
      continue;
    }
    const other = byName.get(name);
    byName.set(name, other ?? address);
    if (other === undefined) continue;
    const both = `fileUris: entries ${other.entry} and ${address.entry}`;
    if (other.url.href !== address.url.href) {
      const message = `${both} would both be saved as ${name} (Custom Script keeps the last one); give one of the two files another name`;
      problems.push({ key: "fileUris", message });
    } else if (other.sha256 !== address.sha256) {
      problems.push({ key: "fileUris", message: `${both} are one address with different pins; keep one of them` });
    }
  }
  return problems;
}

function keyOverHttp(values: SettingValues, addresses: readonly Address[]): readonly SettingsProblem[] {
  const credential = (["storageAccountKey", "managedIdentity"] as const).find((key) => values.isSet(key));
  if (credential === undefined) return [];
  return addresses
    .filter(
      ({ url }) => url.protocol === "http:" && url.hostname.includes(".blob.core.") && !url.searchParams.has("sig"),
    )
    .map(({ entry }) => ({
      key: "fileUris",
      message: `fileUris: entry ${entry} is an http address; ${credential} is sent over https only, so a private blob will be refused; write https`,
    }));
}
