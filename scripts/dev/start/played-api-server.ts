import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;
interface Stored {
  readonly key: string;
  object: Json;
  /** Types of conditions that each field manager has applied, by manager and list. */
  readonly applied: Map<string, readonly string[]>;
}

/**
 * A stand-in for an API server, where the real one (test/lanes/api-server) cannot be built: lists, watches from a version, merge patches, and server-side apply
 * as far as lists of conditions and whole objects go. It checks no schema and knows no field ownership but that of conditions.
 */
export interface PlayedApiServer {
  readonly origin: string;
  readonly requests: { readonly method: string; readonly path: string; readonly watch: boolean }[];
  put(path: string, object: Json): Json;
  get(path: string): Json | undefined;
  remove(path: string): void;
  list(collection: string): readonly Json[];
  close(): Promise<void>;
}

export async function startPlayedApiServer(groups: Groups): Promise<PlayedApiServer> {
  const objects = new Map<string, Stored>();
  const history: { readonly type: string; readonly object: Json; readonly version: number; readonly path: string }[] =
    [];
  const watches = new Set<{ readonly matches: (path: string) => boolean; readonly response: ServerResponse }>();
  let version = 1;
  let uids = 0;

  const announce = (type: string, path: string, object: Json) => {
    history.push({ type, object, version, path });
    for (const { matches, response } of watches)
      if (matches(path)) response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const put = (path: string, object: Json): Json => {
    const before = objects.get(path);
    const metadata = { ...(object["metadata"] as Json) };
    metadata["uid"] =
      (before?.object["metadata"] as Json | undefined)?.["uid"] ?? metadata["uid"] ?? `uid-${String(++uids)}`;
    const same =
      before !== undefined &&
      JSON.stringify(withVersion(object, metadata, "")) ===
        JSON.stringify(withVersion(before.object, before.object["metadata"] as Json, ""));
    if (same) return before.object;
    version += 1;
    const stored = withVersion(object, metadata, String(version));
    objects.set(path, { key: path, object: stored, applied: before?.applied ?? new Map<string, readonly string[]>() });
    announce(before === undefined ? "ADDED" : "MODIFIED", path, stored);
    return stored;
  };
  const remove = (path: string) => {
    const before = objects.get(path);
    if (before === undefined) return;
    version += 1;
    objects.delete(path);
    announce("DELETED", path, withVersion(before.object, before.object["metadata"] as Json, String(version)));
  };
  const list = (collection: string): readonly Json[] => {
    const matches = matcher(collection);
    return [...objects].filter(([path]) => matches(path)).map(([, { object }]) => object);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://api.test");
    const path = url.pathname;
    const watch = url.searchParams.get("watch") === "true";
    server.requests.push({ method: request.method ?? "", path, watch });
    const body = await readBody(request);
    if (watch) serveWatch(path, url.searchParams, response);
    else if (request.method === "GET") serveGet(path, url.searchParams, response);
    else if (request.method === "PATCH") servePatch(path, url.searchParams, { request, response, body });
    else if (request.method === "POST") {
      const target = `${path}/${String((body["metadata"] as Json)["name"])}`;
      if (objects.has(target)) send(response, 409, failure(409, "AlreadyExists"));
      else send(response, 201, put(target, body));
    } else if (request.method === "DELETE") {
      if (objects.has(path)) {
        remove(path);
        send(response, 200, { kind: "Status", status: "Success" });
      } else send(response, 404, failure(404, "NotFound"));
    }
  };
  const serveWatch = (path: string, query: URLSearchParams, response: ServerResponse) => {
    const matches = matcher(path);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for (const event of history)
      if (event.version > Number(query.get("resourceVersion")) && matches(event.path))
        response.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
    const one = { matches, response };
    watches.add(one);
    const timer = setTimeout(() => response.end(), Number(query.get("timeoutSeconds") ?? "300") * 1000);
    response.on("close", () => {
      clearTimeout(timer);
      watches.delete(one);
    });
  };
  const serveGet = (path: string, query: URLSearchParams, response: ServerResponse) => {
    const found = discovery(groups, path) ?? objects.get(path)?.object;
    if (found !== undefined) {
      send(response, 200, found);
      return;
    }
    const [, , group = ""] = path.split("/");
    const plural = path.split("/").at(-1) ?? "";
    if (groups[group]?.plurals.includes(plural) !== true) {
      send(response, 404, failure(404, "NotFound"));
      return;
    }
    const all = list(path);
    const from = Number(query.get("continue") ?? "0");
    const limit = Number(query.get("limit") ?? "500");
    const more = from + limit < all.length ? { continue: String(from + limit) } : {};
    const items = all.slice(from, from + limit);
    send(response, 200, { kind: "List", metadata: { resourceVersion: String(version), ...more }, items });
  };
  const servePatch = (path: string, query: URLSearchParams, { request, response, body }: Patching) => {
    const target = path.replace(/\/status$/u, "");
    const stored = objects.get(target);
    const isApply = request.headers["content-type"] === "application/apply-patch+yaml";
    if (stored === undefined) {
      if (isApply && !path.endsWith("/status")) send(response, 201, put(target, body));
      else send(response, 404, failure(404, "NotFound"));
      return;
    }
    const wanted = (body["metadata"] as Json | undefined)?.["resourceVersion"];
    if (wanted !== undefined && wanted !== (stored.object["metadata"] as Json)["resourceVersion"]) {
      send(response, 409, failure(409, "Conflict"));
      return;
    }
    const manager = query.get("fieldManager") ?? "";
    send(response, 200, put(target, patched(stored, { path, body, isApply, manager })));
  };

  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      send(response, 500, failure(500, String(error)));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: PlayedApiServer = {
    origin: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`,
    requests: [],
    put,
    get: (path) => objects.get(path)?.object,
    remove,
    list,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => {
          resolve();
        });
      }),
  };
  return server;
}

interface Patching {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Json;
}

interface Patch {
  readonly path: string;
  readonly body: Json;
  readonly isApply: boolean;
  readonly manager: string;
}

function patched(stored: Stored, { path, body, isApply, manager }: Patch): Json {
  if (!isApply) return merge(stored.object, body);
  if (!path.endsWith("/status")) {
    return { ...body, metadata: { ...(stored.object["metadata"] as Json), ...(body["metadata"] as Json) } };
  }
  const before = (stored.object["status"] ?? {}) as Json;
  return { ...stored.object, status: applyStatus(before, body["status"] as Json, { stored, manager }) };
}

type Groups = Readonly<Record<string, { readonly version: string; readonly plurals: readonly string[] }>>;

function discovery(groups: Groups, path: string): Json | undefined {
  const [, , name = ""] = path.split("/");
  const group = groups[name];
  if (group === undefined) return undefined;
  const { version, plurals } = group;
  if (path === `/apis/${name}`)
    return { kind: "APIGroup", name, versions: [{ groupVersion: `${name}/${version}`, version }] };
  if (path !== `/apis/${name}/${version}`) return undefined;
  return { kind: "APIResourceList", resources: plurals.map((plural) => ({ name: plural })) };
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

/** Lists of conditions are maps by type: what this manager applied before and leaves out now goes, what others own stays. */
function applyStatus(
  before: Json,
  wanted: Json,
  { stored, manager }: { readonly stored: Stored; readonly manager: string },
): Json {
  const after = { ...before };
  for (const [key, value] of Object.entries(wanted)) {
    if (key !== "conditions") {
      after[key] = applyStatus((before[key] ?? {}) as Json, value as Json, { stored, manager });
      continue;
    }
    const conditions = value as Json[];
    const mine = conditions.map(({ type }) => String(type));
    const dropped = (stored.applied.get(manager) ?? []).filter((type) => !mine.includes(type));
    const kept = ((before[key] ?? []) as Json[]).filter(
      ({ type }) => !mine.includes(String(type)) && !dropped.includes(String(type)),
    );
    after[key] = [...kept, ...conditions];
    stored.applied.set(manager, mine);
  }
  return after;
}

function merge(before: unknown, patch: unknown): Json {
  const result: Json = { ...(before as Json) };
  for (const [key, value] of Object.entries(patch as Json)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else if (typeof value === "object" && !Array.isArray(value)) result[key] = merge(result[key] ?? {}, value);
    else result[key] = value;
  }
  return result;
}

function withVersion(object: Json, metadata: Json, resourceVersion: string): Json {
  return { ...object, metadata: { ...metadata, resourceVersion } };
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Json);
}

function failure(code: number, reason: string): Json {
  return { kind: "Status", status: "Failure", code, reason, message: reason };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
