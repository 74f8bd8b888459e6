import AdmZip from "adm-zip";
import { readExtensionDefinition, type ExtensionDefinition, type OperatingSystem } from "../extension-definition.ts";
import { readGivenFile } from "../given-file.ts";
import { errorText, PublishError } from "../publish-error.ts";

export interface OpenedEntry {
  readonly name: string;
  /** Unix permission bits; 0 when the entry has none. */
  readonly mode: number;
  readonly madeByUnix: boolean;
  readonly dosTime: number;
  read(): Buffer;
}

/** A package as it lies on disk, before anything in it is believed. */
export interface OpenedPackage {
  readonly path: string;
  readonly bytes: number;
  readonly definition: ExtensionDefinition;
  readonly entries: readonly OpenedEntry[];
}

export async function openPackage(path: string): Promise<OpenedPackage> {
  const content = await readZip(path);
  // Which system it is for is told by what starts it, not by the name of the file.
  const isWindows = content.entries.some(({ name }) => name.startsWith("runtime/windows-"));
  return {
    path,
    bytes: content.bytes,
    definition: await readExtensionDefinition(isWindows ? "Windows" : "Linux"),
    entries: content.entries,
  };
}

/**
 * A package belongs under the type of its own system: the service would hand the other one's to every machine that asks for the type.
 * @throws PublishError where the zip is for the other system
 */
export async function requirePackageFor(path: string, os: OperatingSystem): Promise<void> {
  const { definition } = await openPackage(path);
  if (definition.os === os) return;
  throw new PublishError(
    `${path} is the package for ${definition.os}; --system names ${os}.`,
    `Give --system ${definition.os.toLowerCase()}, or the zip for ${os}.`,
  );
}

async function readZip(path: string): Promise<Pick<OpenedPackage, "bytes" | "entries">> {
  const bytes = await readGivenFile(path, { what: "package", next: "Build it with: npm run package" });
  try {
    const zip = new AdmZip(bytes, { noSort: true });
    return { bytes: bytes.length, entries: zip.getEntries().map(toEntry) };
  } catch (cause) {
    throw new PublishError(`${path} cannot be read as a zip: ${errorText(cause)}`, "Build it with: npm run package", {
      cause,
    });
  }
}

function toEntry(entry: AdmZip.IZipEntry): OpenedEntry {
  let content: Buffer | undefined;
  return {
    // rawEntryName: adm-zip may clean a name that an agent would take as it stands.
    name: entry.rawEntryName.toString("utf8"),
    mode: (entry.header.attr >>> 16) & 0o777,
    madeByUnix: entry.header.made >>> 8 === 3,
    dosTime: entry.header.time instanceof Date ? entry.header.time.getTime() : Number(entry.header.time),
    read: () => (content ??= entry.getData()),
  };
}

/** Text of an entry; undefined when the package has none of that name. */
export function entryText(opened: OpenedPackage, name: string): string | undefined {
  return opened.entries
    .find((entry) => entry.name === name)
    ?.read()
    .toString("utf8");
}

/** JSON of an entry; undefined when it is missing or is no JSON (the layout and manifest checks say so). */
export function entryJson(opened: OpenedPackage, name: string): unknown {
  try {
    const value: unknown = JSON.parse(entryText(opened, name) ?? "");
    return value;
  } catch {
    return undefined;
  }
}
