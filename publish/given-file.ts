import { open, readFile } from "node:fs/promises";
import { parse } from "yaml";
import { member } from "./json-value.ts";
import { errorText, PublishError } from "./publish-error.ts";

/** What the person who named a file meant by it, and where such a file comes from. */
export interface GivenFile {
  /** For example "management certificate". */
  readonly what: string;
  /** The sentence that says what to do next. */
  readonly next: string;
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  ENOENT: "there is no such file",
  EEXIST: "it is there already",
  ENOTDIR: "a part of the path is no folder",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ELOOP: "its links lead in a circle",
};

/**
 * The bytes of a file that somebody named.
 * @throws PublishError that says which file, what it was to be, why it cannot be read, and what to do
 */
export async function readGivenFile(path: string, { what, next }: GivenFile): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new PublishError(`The ${what} ${path} cannot be read: ${reasonOf(cause)}.`, next, { cause });
  });
}

/**
 * Asks for a file that another program will read: that program's own words for it seldom name the file.
 * @throws PublishError as readGivenFile does
 */
export async function requireGivenFile(path: string, { what, next }: GivenFile): Promise<void> {
  try {
    const file = await open(path);
    const isFolder = (await file.stat().finally(() => file.close())).isDirectory();
    if (isFolder) throw Object.assign(new Error(), { code: "EISDIR" });
  } catch (cause) {
    throw new PublishError(`The ${what} ${path} cannot be read: ${reasonOf(cause)}.`, next, { cause });
  }
}

/** The same as text. */
export async function readGivenText(path: string, kind: GivenFile): Promise<string> {
  return (await readGivenFile(path, kind)).toString("utf8");
}

/** The same as a value of JSON. */
export async function readGivenJson(path: string, kind: GivenFile): Promise<unknown> {
  return parseGivenJson(await readGivenText(path, kind), path, kind);
}

/** The value of JSON that stood in such a file. */
export function parseGivenJson(text: string, path: string, kind: GivenFile): unknown {
  return understood(text, { path, language: "JSON", read: JSON.parse }, kind);
}

/** The same as a value of YAML or JSON. */
export async function readGivenYaml(path: string, kind: GivenFile): Promise<unknown> {
  return understood(await readGivenText(path, kind), { path, language: "YAML", read: parse }, kind);
}

interface Language {
  readonly path: string;
  readonly language: string;
  read(text: string): unknown;
}

function understood(text: string, { path, language, read }: Language, { what, next }: GivenFile): unknown {
  try {
    return read(text);
  } catch (cause) {
    throw new PublishError(`The ${what} ${path} is no ${language}: ${errorText(cause).trim()}`, next, { cause });
  }
}

/** Why the system refused a path, in words. */
export function reasonOf(cause: unknown): string {
  return reasons[String(member(cause, "code"))] ?? errorText(cause);
}
