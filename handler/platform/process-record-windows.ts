import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NoteProcess } from "./platform.ts";

/**
 * What is remembered of the check's first process. Windows shows nobody another process's environment, so the marker alone
 * finds nothing there: after a crash of ours this file leads to what the check left running.
 */
export interface ProcessRecord {
  readonly marker: string;
  readonly pid: number;
  readonly startedMs: number;
  /** Last moment at which the process was known to be that one: its pid may be another's afterwards. */
  readonly untilMs: number;
  readonly ended: boolean;
}

const fileName = "process.json";
export const beatMs = 2000;

/** The last process of each marker that this program itself has started, wherever its record lies and whether it could be written. */
export type OwnRecords = Map<string, ProcessRecord>;

/** Keeps the record current while the process runs. Without the file only the clean-up after a crash is less thorough. */
export function noteProcess({ marker, pid, folder, exited }: NoteProcess, own: OwnRecords = new Map()): void {
  const path = join(folder, fileName);
  const startedMs = Date.now();
  const write = (ended: boolean): void => {
    const record: ProcessRecord = { marker, pid, startedMs, untilMs: Date.now(), ended };
    if (!ended || own.get(marker)?.pid === pid) own.set(marker, record);
    try {
      writeFileSync(path, JSON.stringify(record), { mode: 0o600 });
    } catch {
      // A full disk must not end the check.
    }
  };
  write(false);
  const beat = setInterval(() => {
    write(false);
  }, beatMs);
  beat.unref();
  void exited.finally(() => {
    clearInterval(beat);
    write(true);
  });
}

/** Records of this marker: this program's own, and those in the work folders of every instance. */
export function findRecords(stateFolder: string, marker: string, own: OwnRecords): readonly ProcessRecord[] {
  const ours = own.get(marker);
  const stored = workFolders(stateFolder).flatMap((folder) => {
    const record = readRecord(join(folder, fileName));
    return record?.marker === marker && record.pid !== ours?.pid ? [record] : [];
  });
  return ours === undefined ? stored : [ours, ...stored];
}

export function forgetRecords(stateFolder: string, marker: string, own: OwnRecords): void {
  own.delete(marker);
  for (const folder of workFolders(stateFolder)) {
    const path = join(folder, fileName);
    if (readRecord(path)?.marker === marker) rmSync(path, { force: true });
  }
}

function workFolders(stateFolder: string): readonly string[] {
  return list(stateFolder).flatMap((instance) =>
    list(join(stateFolder, instance))
      .filter((name) => name.endsWith(".work"))
      // Hooks run in a folder below.
      .flatMap((name) => [join(stateFolder, instance, name), join(stateFolder, instance, name, "check-state")]),
  );
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readRecord(path: string): ProcessRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== "object" || value === null) return false;
  const { marker, pid, startedMs, untilMs, ended } = Object.fromEntries(Object.entries(value));
  return (
    typeof marker === "string" &&
    Number.isSafeInteger(pid) &&
    Number.isSafeInteger(startedMs) &&
    Number.isSafeInteger(untilMs) &&
    typeof ended === "boolean"
  );
}
