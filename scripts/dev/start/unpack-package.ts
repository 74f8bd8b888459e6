import AdmZip from "adm-zip";
import { closeSync, copyFileSync, linkSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { keptInRun } from "./kept-in-run.ts";

/** Unpacks a package as the guest agent does. Inflating it takes a second, so a run of the tests does it once. */
export function unpackPackage(zip: string, folder: string): void {
  const { size, mtimeMs } = statSync(zip);
  const kept = keptInRun(`${basename(zip)}-${String(size)}-${String(mtimeMs)}`, (path) => {
    unzip(zip, path);
  });
  if (kept === undefined) {
    unzip(zip, folder);
    return;
  }
  for (const entry of readdirSync(kept, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, relative(kept, from));
    mkdirSync(dirname(to), { recursive: true });
    takeFile(from, to);
  }
}

/** Programs are linked, because nobody writes into them; everything else is a copy, which a test may change. */
function takeFile(from: string, to: string): void {
  if (statSync(from).size > 10_000_000) {
    try {
      linkSync(from, to);
      return;
    } catch {
      // Another file system.
    }
  }
  copyFileSync(from, to);
}

/** The agent drops the modes that the zip carries and then adds u+x to every file. */
function unzip(zip: string, folder: string): void {
  for (const entry of new AdmZip(zip).getEntries()) {
    const path = join(folder, entry.entryName);
    if (entry.isDirectory) continue;
    mkdirSync(join(path, ".."), { recursive: true });
    writeInPieces(path, entry.getData());
  }
}

/** In pieces of 64 KiB like Python's zipfile: it decides how large the pages are in which the kernel maps the runtime. */
function writeInPieces(path: string, bytes: Buffer): void {
  const file = openSync(path, "w", 0o744);
  for (let start = 0; start < bytes.length; start += 65_536) writeSync(file, bytes.subarray(start, start + 65_536));
  closeSync(file);
}
