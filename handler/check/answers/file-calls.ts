import {
  closeSync,
  constants,
  fstatSync,
  opendirSync,
  openSync,
  readSync,
  statSync,
  type Stats,
  type Dir,
} from "node:fs";
import { open, opendir, stat, type FileHandle } from "node:fs/promises";

/** A file that was opened for reading. */
export interface OpenFile {
  stat(): Promise<Stats> | Stats;
  /** Bytes read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number> | number;
  close(): Promise<void> | void;
}

/** What the answers ask of a file system; the same for both ways below. Errors are thrown as the system gave them. */
export interface FileCalls {
  /** Undefined for what is not there. */
  stat(path: string): Promise<Stats | undefined> | Stats | undefined;
  open(path: string): Promise<OpenFile> | OpenFile;
  /** The first names of a folder, in no order, `most` at most. */
  names(folder: string, most: number): Promise<readonly string[]> | readonly string[];
}

/** A pipe in the place of a file would hold us until somebody writes to it; a terminal would become ours. */
const flags = [constants.O_RDONLY, constants.O_NONBLOCK, constants.O_NOCTTY]
  // Windows has only the first.
  .filter((flag) => Number.isInteger(flag))
  .reduce((all, flag) => all | flag);

/** For kernel memory: forty times cheaper than a file thread, and there are always enough of it. */
export const directCalls = {
  // Most of what is asked for is not there, and an error costs more than the question.
  stat: (path: string) => statSync(path, { throwIfNoEntry: false }),
  open(path: string) {
    const descriptor = openSync(path, flags);
    return {
      stat: () => fstatSync(descriptor),
      read: (into: Uint8Array, position: number) => readSync(descriptor, into, 0, into.length, position),
      close: () => {
        closeSync(descriptor);
      },
    };
  },
  names(folder: string, most: number) {
    const opened = opendirSync(folder);
    try {
      return takeNames(opened, most);
    } finally {
      opened.closeSync();
    }
  },
} satisfies FileCalls;

/** For every other file: a file system that does not answer holds a file thread, not the program. */
export const threadCalls = {
  stat: (path: string) => stat(path),
  async open(path: string): Promise<OpenFile> {
    const file: FileHandle = await open(path, flags);
    return {
      stat: () => file.stat(),
      read: async (into, position) => (await file.read(into, 0, into.length, position)).bytesRead,
      close: () => file.close(),
    };
  },
  async names(folder: string, most: number) {
    const names: string[] = [];
    // Leaving the loop closes the folder.
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      names.push(entry.name);
      if (names.length >= most) break;
    }
    return names;
  },
} satisfies FileCalls;

function takeNames(opened: Dir, most: number): readonly string[] {
  const names: string[] = [];
  for (let entry = opened.readSync(); entry !== null && names.length < most; entry = opened.readSync()) {
    names.push(entry.name);
  }
  return names;
}
