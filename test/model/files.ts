/** A certificate as a machine of the model holds it; only what a reader of the file could see. */
export interface ModelCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface Entry {
  readonly kind: "file" | "folder";
  /** The path as it was written; the key of the tree may be folded to lower case. */
  readonly path: string;
  readonly text: string;
  readonly certificate?: ModelCertificate;
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly createdMs: number;
}

/** A text that holds a certificate. */
export interface Content {
  readonly text: string;
  readonly certificate: ModelCertificate | undefined;
}

export type PathStyle = "linux" | "windows";

/** The files of a machine with their times. Folders come into being with their files, links are prefixes. */
export class FileTree {
  readonly entries = new Map<string, Entry>();
  readonly links = new Map<string, string>();
  /** Paths that were resolved before; wrong as soon as a link changes. */
  readonly #keys = new Map<string, string>();
  readonly style: PathStyle;

  constructor(style: PathStyle) {
    this.style = style;
  }

  /** The key of a path: links followed (also in its folders), Windows' letters folded. */
  key(path: string): string {
    const known = this.#keys.get(path);
    if (known !== undefined) return known;
    let key = this.style === "windows" ? path.replaceAll("/", "\\").toLowerCase() : path;
    for (const [from, to] of this.links) {
      if (key === from || key.startsWith(`${from}/`)) key = to + key.slice(from.length);
    }
    this.#keys.set(path, key);
    return key;
  }

  /** Makes a symbolic link, of a file or a folder. */
  link(from: string, to: string): void {
    if (this.links.get(from) === to) return;
    this.links.set(from, to);
    this.#keys.clear();
  }

  unlink(from: string): void {
    if (this.links.delete(from)) this.#keys.clear();
  }

  get(path: string): Entry | undefined {
    return this.entries.get(this.key(path));
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  text(path: string): string {
    return this.get(path)?.text ?? "";
  }

  write(path: string, content: string | Content, wallMs: number): void {
    const { text, certificate } = typeof content === "string" ? { text: content, certificate: undefined } : content;
    const key = this.key(path);
    const before = this.entries.get(key);
    this.#makeFolders(key, wallMs, path);
    this.entries.set(key, {
      kind: "file",
      path,
      text,
      modifiedMs: wallMs,
      changedMs: wallMs,
      createdMs: before?.createdMs ?? wallMs,
      ...(certificate === undefined ? {} : { certificate }),
    });
  }

  append(path: string, text: string, wallMs: number): void {
    this.write(path, this.text(path) + text, wallMs);
  }

  makeFolder(path: string, wallMs: number): void {
    const key = this.key(path);
    if (this.entries.has(key)) return;
    this.#makeFolders(key, wallMs, path);
    this.#folder(key, path, wallMs);
  }

  /** `touch -d`: only the modification time can be set by a program; the change time is the file system's own. */
  touch(path: string, modifiedMs: number, wallMs: number): void {
    const entry = this.get(path);
    if (entry !== undefined) this.entries.set(this.key(path), { ...entry, modifiedMs, changedMs: wallMs });
  }

  /** Removes a file, or a folder with all that is in it. */
  remove(path: string): void {
    const key = this.key(path);
    const separator = this.style === "windows" ? "\\" : "/";
    for (const known of [...this.entries.keys()]) {
      if (known === key || known.startsWith(key + separator)) this.entries.delete(known);
    }
    for (const from of [...this.links.keys()]) {
      if (from === path || from.startsWith(path + separator)) this.unlink(from);
    }
  }

  names(folder: string): readonly string[] | undefined {
    const key = this.key(folder);
    if (this.entries.get(key)?.kind !== "folder") return undefined;
    const separator = this.style === "windows" ? "\\" : "/";
    const prefix = key + separator;
    const names = [...this.entries]
      .filter(([known]) => known.startsWith(prefix) && !known.slice(prefix.length).includes(separator))
      .map(([, entry]) => lastPart(entry.path));
    for (const from of this.links.keys()) {
      if (from.startsWith(prefix) && !from.slice(prefix.length).includes(separator)) names.push(lastPart(from));
    }
    return names;
  }

  copy(): FileTree {
    const copy = new FileTree(this.style);
    for (const [key, entry] of this.entries) copy.entries.set(key, entry);
    for (const [from, to] of this.links) copy.links.set(from, to);
    return copy;
  }

  #makeFolders(key: string, wallMs: number, path: string): void {
    const separator = this.style === "windows" ? "\\" : "/";
    for (let at = key.lastIndexOf(separator); at > 0; at = key.lastIndexOf(separator, at - 1)) {
      const folder = key.slice(0, at);
      if (this.entries.has(folder)) return;
      this.#folder(folder, path.slice(0, at), wallMs);
    }
  }

  #folder(key: string, path: string, wallMs: number): void {
    const times = { modifiedMs: wallMs, changedMs: wallMs, createdMs: wallMs };
    this.entries.set(key, { kind: "folder", path, text: "", ...times });
  }
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
