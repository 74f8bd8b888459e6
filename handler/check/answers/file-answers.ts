import type { Stats } from "node:fs";
import type { Answer, PathAnswer } from "../../../scripts/check/questions.ts";
import { cannotTell, cannotTellBecause, isAbsence, known, type CannotTell } from "./answer.ts";
import { decodeEnd, decodeFront } from "./decode-part.ts";
import { directCalls, threadCalls, type FileCalls } from "./file-calls.ts";
import type { FileGate } from "./file-gate.ts";
import { placePath, type KnownPlaces, type PlacedPath } from "./place-path.ts";
import { readEnd, readFront } from "./read-part.ts";

export const textLimit = 64 * 1024;
const usualLog = 256 * 1024;
const longestLog = 8 * 1024 * 1024;
const searchedBytes = 1024 * 1024;
const mostNames = 1000;
/** Names that are read before the first thousand of them, in their order, are given. */
const mostNamesRead = 20_000;

export interface FileView {
  readonly root: string;
  readonly gate: FileGate;
  /** No file system of this machine can keep us waiting. */
  readonly isLocal: boolean;
  /** Below a root that is not the running system's a copy made the inode anew: only the content's time is the machine's. */
  readonly isCopy: boolean;
  /** Of one look, below a folder that stands for a machine. */
  readonly places?: KnownPlaces;
}

/** At once where it may: most questions of a look are of this kind, and a promise costs as much as what it waits for. */
export function answerPath(view: FileView, path: string): Promise<Answer<"path">> | Answer<"path"> {
  const placed = placePath(path, view.root, view.places);
  if (placed === undefined) return cannotBePlaced();
  if (!isDirect(view, placed)) return pathThroughThread(view, placed);
  try {
    return toAnswer(view, directCalls.stat(placed.path));
  } catch (error) {
    return whyNot(error);
  }
}

async function pathThroughThread(view: FileView, placed: PlacedPath): Promise<Answer<"path">> {
  try {
    return toAnswer(view, await view.gate.pass(() => threadCalls.stat(placed.path)));
  } catch (error) {
    return whyNot(error);
  }
}

function toAnswer(view: FileView, stats: Stats | undefined): Answer<"path"> {
  return known<"path">(stats === undefined ? { kind: "absent" } : pathAnswer(stats, view.isCopy));
}

function pathAnswer(stats: Stats, isCopy: boolean): PathAnswer {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  const { size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  const created = isCopy || birthtimeMs <= 0 ? {} : { createdMs: birthtimeMs };
  return { kind, size, modifiedMs: mtimeMs, changedMs: isCopy ? mtimeMs : ctimeMs, ...created };
}

export async function answerText(view: FileView, path: string, maxBytes = textLimit): Promise<Answer<"text">> {
  return onFile(view, path, async (calls, placed) => {
    const part = await readFront(calls, placed.path, Math.min(maxBytes, textLimit));
    if (part === undefined) return cannotTell("it is not a regular file");
    return known<"text">({ kind: "text", text: decodeFront(part), cut: part.cut });
  });
}

export async function answerLog(view: FileView, path: string, maxBytes = usualLog): Promise<Answer<"log">> {
  return onFile(view, path, async (calls, placed) => {
    const part = await readEnd(calls, placed.path, Math.min(maxBytes, longestLog));
    if (part === undefined) return cannotTell("it is not a regular file");
    return known<"log">({ kind: "text", text: decodeEnd(part), cut: part.cut });
  });
}

export async function answerMentions(
  view: FileView,
  path: string,
  words: readonly string[],
): Promise<Answer<"mentions">> {
  return onFile(view, path, async (calls, placed) => {
    const part = await readFront(calls, placed.path, searchedBytes);
    if (part === undefined) return cannotTell("it is not a regular file");
    const text = decodeFront(part);
    return known<"mentions">({ kind: "mentions", words: words.filter((word) => text.includes(word)) });
  });
}

export async function answerNames(view: FileView, folder: string): Promise<Answer<"names">> {
  return onFile(view, folder, async (calls, placed) => {
    const names = (await calls.names(placed.path, mostNamesRead)).toSorted(byCodeUnit);
    return known<"names">({ kind: "names", names: names.slice(0, mostNames) });
  });
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export type SmallFile =
  { readonly kind: "absent" } | { readonly kind: "not-a-file" } | { readonly kind: "bytes"; readonly bytes: Buffer };

/** The bytes of a small file, for answers that are made of them. Throws what the system says, or that it is silent. */
export async function readSmallFile(view: FileView, asked: string, maxBytes: number): Promise<SmallFile> {
  const placed = placePath(asked, view.root, view.places);
  if (placed === undefined) throw new Error(noPlace);
  try {
    const part = await withCalls(view, placed, (calls) => readFront(calls, placed.path, maxBytes));
    return part === undefined ? { kind: "not-a-file" } : { kind: "bytes", bytes: part.bytes };
  } catch (error) {
    if (isAbsence(error)) return { kind: "absent" };
    throw error;
  }
}

type FileName = "text" | "mentions" | "log" | "names";

async function onFile<Name extends FileName>(
  view: FileView,
  asked: string,
  read: (calls: FileCalls, placed: PlacedPath) => Promise<Answer<Name>>,
): Promise<Answer<Name>> {
  const placed = placePath(asked, view.root, view.places);
  if (placed === undefined) return cannotBePlaced();
  try {
    return await withCalls(view, placed, (calls) => read(calls, placed));
  } catch (error) {
    return whyNot(error);
  }
}

const noPlace = "it is not an absolute path, or its links lead in a circle";

function cannotBePlaced(): CannotTell {
  return cannotTell(noPlace);
}

function whyNot(error: unknown): { readonly kind: "known"; readonly value: { readonly kind: "absent" } } | CannotTell {
  return isAbsence(error) ? { kind: "known", value: { kind: "absent" } } : cannotTellBecause(error);
}

function isDirect({ isLocal }: FileView, { isMemory }: PlacedPath): boolean {
  return isMemory || isLocal;
}

async function withCalls<Value>(
  view: FileView,
  placed: PlacedPath,
  work: (calls: FileCalls) => Promise<Value>,
): Promise<Value> {
  return isDirect(view, placed) ? work(directCalls) : view.gate.pass(() => work(threadCalls));
}
