export type Json = Record<string, unknown>;

export interface Stored {
  readonly key: string;
  object: Json;
  /** Types of conditions that each field manager has applied, by manager and list. */
  readonly applied: Map<string, readonly string[]>;
}

interface Event {
  readonly type: string;
  readonly object: Json;
}

type Hear = (event: Event) => void;

/** What a played API server holds: objects by path, with versions, and whoever watches them. */
export class PlayedObjects {
  readonly #objects = new Map<string, Stored>();
  readonly #history: (Event & { readonly version: number; readonly path: string })[] = [];
  readonly #watches = new Set<{ readonly matches: (path: string) => boolean; readonly hear: Hear }>();
  #version = 1;
  #uids = 0;

  get version(): number {
    return this.#version;
  }

  get(path: string): Stored | undefined {
    return this.#objects.get(path);
  }

  list(collection: string): readonly Json[] {
    const matches = matcher(collection);
    return [...this.#objects].filter(([path]) => matches(path)).map(([, { object }]) => object);
  }

  /** An object that is the same but for its version changes nothing. */
  put(path: string, object: Json): Json {
    const before = this.#objects.get(path);
    const metadata = { ...(object["metadata"] as Json) };
    metadata["uid"] =
      (before?.object["metadata"] as Json | undefined)?.["uid"] ?? metadata["uid"] ?? `uid-${String(++this.#uids)}`;
    if (before !== undefined && isSame(before.object, withVersion(object, metadata, ""))) return before.object;
    this.#version += 1;
    const stored = withVersion(object, metadata, String(this.#version));
    const applied = before?.applied ?? new Map<string, readonly string[]>();
    this.#objects.set(path, { key: path, object: stored, applied });
    this.#announce(before === undefined ? "ADDED" : "MODIFIED", path, stored);
    return stored;
  }

  /** False when there is none. */
  remove(path: string): boolean {
    const before = this.#objects.get(path);
    if (before === undefined) return false;
    this.#version += 1;
    this.#objects.delete(path);
    const { object } = before;
    this.#announce("DELETED", path, withVersion(object, object["metadata"] as Json, String(this.#version)));
    return true;
  }

  /** Tells what came after `version`, and everything from now on, until the returned function is called. */
  watch(collection: string, version: number, hear: Hear): () => void {
    const matches = matcher(collection);
    for (const event of this.#history) if (event.version > version && matches(event.path)) hear(event);
    const one = { matches, hear };
    this.#watches.add(one);
    return () => {
      this.#watches.delete(one);
    };
  }

  #announce(type: string, path: string, object: Json): void {
    this.#history.push({ type, object, version: this.#version, path });
    for (const { matches, hear } of this.#watches) if (matches(path)) hear({ type, object });
  }
}

/** "/apis/g/v/things" matches all namespaces, "/apis/g/v/namespaces/n/things" one. */
function matcher(collection: string): (path: string) => boolean {
  const [, , group, version, word, namespace, plural] = collection.split("/");
  const within =
    word === "namespaces"
      ? new RegExp(`^/apis/${group ?? ""}/${version ?? ""}/namespaces/${namespace ?? ""}/${plural ?? ""}/[^/]+$`, "u")
      : new RegExp(`^/apis/${group ?? ""}/${version ?? ""}/namespaces/[^/]+/${word ?? ""}/[^/]+$`, "u");
  return (path) => within.test(path);
}

function isSame(before: Json, after: Json): boolean {
  return JSON.stringify(after) === JSON.stringify(withVersion(before, before["metadata"] as Json, ""));
}

function withVersion(object: Json, metadata: Json, resourceVersion: string): Json {
  return { ...object, metadata: { ...metadata, resourceVersion } };
}
