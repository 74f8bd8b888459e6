import { constants } from "node:fs";
import { access, mkdtemp, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { makeTemporaryFolder } from "../files/temporary-folder.ts";
import { isDenial } from "../errors/handler-error.ts";
import { CopyError } from "./copy-error.ts";
import { findMachines, singleLog } from "./find-machines.ts";
import type { MachineCopy } from "./machine-copy.ts";
import type { ArchiveLimits } from "./entry-writer.ts";
import { archiveKind, unpackArchive, type ArchiveKind } from "./unpack-archive.ts";

/** What one argument of a person named, open for reading. */
export interface OpenCopies {
  readonly machines: readonly MachineCopy[];
  readonly notes: readonly string[];
  /** Removes what was unpacked. */
  close(): Promise<void>;
}

/** An archive in a bundle: AKS hands out a zip with the node's logs in a zip. */
const mostInner = 20;

/**
 * Opens a folder, an archive (tar, gz, zst, zip) or one log.
 * @throws CopyError with a whole sentence for what is none of these
 */
export async function openCopies(place: string, limits?: ArchiveLimits): Promise<OpenCopies> {
  try {
    return await openPlace(place, limits);
  } catch (error) {
    if (!isDenial(error)) throw error;
    throw new CopyError(
      `"${place}" may not be read by this user. Next: Run it as one who may, for example root (sudo).`,
      {
        cause: error,
      },
    );
  }
}

async function openPlace(place: string, limits: ArchiveLimits | undefined): Promise<OpenCopies> {
  // A variable of a shell that is not set: what lies where the person happens to stand was not meant.
  if (place.trim() === "") {
    throw new CopyError("An empty name is no place. Next: Name the folder, the archive or the log; . is this folder.");
  }
  const path = absolute(place);
  const found = await stat(path).catch(undefinedUnlessDenied);
  if (found === undefined) {
    throw new CopyError(
      `There is no file or folder "${place}". Next: Name the folder, the archive or the log that holds the machine's logs.`,
    );
  }
  if (found.isDirectory()) {
    await access(path, constants.R_OK | constants.X_OK);
    return { machines: await findMachines(path), notes: [], close: () => Promise.resolve() };
  }
  if (!found.isFile())
    throw new CopyError(
      `"${place}" is neither a file nor a folder. Next: Write what it holds to a file, and name that.`,
    );
  const kind = await archiveKind(path);
  if (kind === "tar.xz" || kind === "tar.bz2") {
    throw new CopyError(
      `"${place}" is compressed in a way that this program does not read. Next: ${unpackedBy(basename(place), kind)}`,
    );
  }
  if (kind === undefined && /\.(?:tgz|tar|zip|gz|zst)$/iu.test(path)) {
    throw new CopyError(`"${place}" is no archive, whatever its name says, or its beginning is lost.`);
  }
  if (kind === undefined) {
    return { machines: [singleLog(dirname(path), path)], notes: [], close: () => Promise.resolve() };
  }
  return openArchive(place, path, { kind, limits });
}

/** The shell may stand in a folder that is gone; then no relative name leads anywhere. */
function absolute(place: string): string {
  try {
    return resolve(place);
  } catch (error) {
    throw new CopyError(
      `"${place}" cannot be found: the folder that the command was started in is gone. Next: Change to another folder, or name the whole path.`,
      { cause: error },
    );
  }
}

function undefinedUnlessDenied(error: unknown): undefined {
  if (isDenial(error)) throw error;
  return undefined;
}

async function openArchive(
  place: string,
  path: string,
  { kind, limits }: { readonly kind: ArchiveKind; readonly limits: ArchiveLimits | undefined },
): Promise<OpenCopies> {
  const { path: folder, remove: close } = await makeTemporaryFolder("capz-bootstrap-copy");
  const common = limits === undefined ? {} : { limits };
  try {
    const { files, notes, left } = await unpackArchive(path, { kind, folder, ...common });
    if (files === 0) throw new CopyError(["it holds no files", ...notes].join("; "));
    if (kind === "gz") {
      const [name = ""] = await readdir(folder);
      return { machines: [singleLog(folder, name)], notes, close };
    }
    const inner = await unpackInner(folder, left);
    return { machines: await findMachines(folder), notes: [...notes, ...inner], close };
  } catch (error) {
    await close();
    if (!(error instanceof CopyError)) throw error;
    throw new CopyError(`"${place}" cannot be unpacked: ${error.message}.`, { cause: error });
  }
}

/** Archives at the top of an archive, one level deep, each into a folder of its own; `most`: what all of them may cost. */
async function unpackInner(folder: string, most: ArchiveLimits): Promise<readonly string[]> {
  let limits = most;
  const names = (await readdir(folder)).filter((name) => /\.(?:zip|tgz|tar|tar\.gz|tar\.zst)$/iu.test(name));
  const notes: string[] = [];
  for (const name of names.slice(0, mostInner)) {
    const path = join(folder, name);
    const kind = await archiveKind(path).catch(() => undefined);
    if (kind === undefined || kind === "tar.xz" || kind === "tar.bz2" || kind === "gz") continue;
    const below = await mkdtemp(join(folder, `${name.replace(/\.[a-z.]{1,8}$/iu, "")}-`));
    try {
      const inner = await unpackArchive(path, { kind, folder: below, limits });
      notes.push(...inner.notes);
      limits = inner.left;
    } catch (error) {
      if (!(error instanceof CopyError)) throw error;
      notes.push(`"${name}" in the archive cannot be unpacked: ${error.message}`);
    }
  }
  return notes;
}

/** One log that was compressed by itself is no archive. */
function unpackedBy(name: string, kind: "tar.xz" | "tar.bz2"): string {
  const isArchive = /\.(?:tar\.\w+|t[xb]z2?)$/iu.test(name);
  return isArchive
    ? `Run "tar -xf ${name}" in an empty folder, and name that folder.`
    : `Run "${kind === "tar.xz" ? "unxz" : "bunzip2"} ${name}", and name what it leaves.`;
}
