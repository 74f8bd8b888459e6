import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../errors/handler-error.ts";
import { uniqueHex } from "../files/unique-hex.ts";

/** Who holds a lock; the start time (Windows: the mark of Platform.selfMark) tells a reused pid from the holder. */
export interface LockHolder {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly sequence: number;
  /** Version of the holder's program. */
  readonly handlerVersion: string;
  /** Where the holder writes its status. After an update it may be the folder of a version that is gone. */
  readonly statusFolder: string;
  /** Marker that all processes of the holder's check carry in their environment. */
  readonly marker: string;
}

export interface LockFiles {
  readonly folder: string;
  readonly name: string;
  /** True while the process of that pid and start time runs, on this boot. */
  isAlive(holder: LockHolder): Promise<boolean>;
}

export type LockResult =
  /** `previous` is the dead holder before us: its marker finds what it left running. */
  | { readonly kind: "acquired"; readonly previous: LockHolder | undefined }
  | { readonly kind: "held"; readonly holder: LockHolder | undefined };

interface Generation {
  readonly number: number;
  readonly holder: LockHolder | undefined;
}

/**
 * A lock that a crash cannot leave behind. Files `<name>.lock.<generation>` are made by link(2), which succeeds for one
 * process only; the highest generation holds the lock while its process lives, and a generation is never reused or
 * removed by anyone but a later holder. So two processes that find the same dead holder cannot both win.
 */
export async function acquireLock(files: LockFiles, self: LockHolder): Promise<LockResult> {
  const highest = highestGeneration(files);
  const number = (highest?.number ?? 0) + 1;
  if (highest?.holder !== undefined && (await files.isAlive(highest.holder))) {
    return { kind: "held", holder: highest.holder };
  }
  if (!claim(files, number, self)) return { kind: "held", holder: lastHolder(files) };
  const now = highestGeneration(files);
  if (now !== undefined && now.number > number) {
    // Somebody went past us between our look and our link: theirs is the lock.
    rmSync(lockPath(files, number), { force: true });
    return { kind: "held", holder: now.holder };
  }
  removeOlder(files, number);
  return { kind: "acquired", previous: highest?.holder };
}

/** The live holder, if there is one. */
export async function liveHolder(files: LockFiles): Promise<LockHolder | undefined> {
  const holder = lastHolder(files);
  return holder !== undefined && (await files.isAlive(holder)) ? holder : undefined;
}

/** Who took the lock last, dead or alive. Throws the system error when the folder cannot be listed. */
export function lastHolder(files: LockFiles): LockHolder | undefined {
  return highestGeneration(files)?.holder;
}

/** There is a lock that does not tell whose it is, or the folder does not tell whether there is one. */
export function isHolderUnknown(files: LockFiles): boolean {
  try {
    const highest = highestGeneration(files);
    return highest !== undefined && highest.holder === undefined;
  } catch {
    return true;
  }
}

function claim(files: LockFiles, generation: number, self: LockHolder): boolean {
  const draft = join(files.folder, `.${files.name}.${String(process.pid)}.${uniqueHex()}`);
  try {
    writeFileSync(draft, JSON.stringify(self), { mode: 0o600 });
    linkSync(draft, lockPath(files, generation));
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function highestGeneration(files: LockFiles): Generation | undefined {
  const prefix = `${files.name}.lock.`;
  let highest = 0;
  for (const entry of readdirSync(files.folder)) {
    if (!entry.startsWith(prefix)) continue;
    const number = Number(entry.slice(prefix.length));
    if (Number.isSafeInteger(number) && number > highest) highest = number;
  }
  return highest === 0 ? undefined : { number: highest, holder: readHolder(lockPath(files, highest)) };
}

function removeOlder(files: LockFiles, generation: number): void {
  const prefix = `${files.name}.lock.`;
  for (const entry of readdirSync(files.folder)) {
    if (entry.startsWith(prefix) && Number(entry.slice(prefix.length)) < generation) {
      rmSync(join(files.folder, entry), { force: true });
    }
  }
}

function lockPath(files: LockFiles, generation: number): string {
  return join(files.folder, `${files.name}.lock.${String(generation)}`);
}

/** A file that cannot be understood (power loss before its bytes reached the disk) counts as a dead holder. */
function readHolder(path: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const texts = ["startTime", "bootId", "handlerVersion", "statusFolder", "marker"] as const;

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    Number.isSafeInteger(fields.get("pid")) &&
    Number.isSafeInteger(fields.get("sequence")) &&
    texts.every((key) => typeof fields.get(key) === "string")
  );
}
