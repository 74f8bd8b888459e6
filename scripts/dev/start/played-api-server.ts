import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { patched } from "./played-patch.ts";
import { PlayedObjects, type Json } from "./played-objects.ts";

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
  const objects = new PlayedObjects();
  const requests: { readonly method: string; readonly path: string; readonly watch: boolean }[] = [];
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://api.test");
    const watch = url.searchParams.get("watch") === "true";
    requests.push({ method: request.method ?? "", path: url.pathname, watch });
    answer({ groups, objects, url, watch, request, response }).catch((error: unknown) => {
      send(response, 500, failure(500, String(error)));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`,
    requests,
    put: (path, object) => objects.put(path, object),
    get: (path) => objects.get(path)?.object,
    remove: (path) => {
      objects.remove(path);
    },
    list: (collection) => objects.list(collection),
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => {
          resolve();
        });
      }),
  };
}

interface Asked {
  readonly groups: Groups;
  readonly objects: PlayedObjects;
  readonly url: URL;
  readonly watch: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(asked: Asked): Promise<void> {
  const { request, watch } = asked;
  const body = await readBody(request);
  if (watch) serveWatch(asked);
  else if (request.method === "GET") serveGet(asked);
  else if (request.method === "PATCH") servePatch(asked, body);
  else if (request.method === "POST") servePost(asked, body);
  else if (request.method === "DELETE") serveDelete(asked);
}

function serveWatch({ objects, url, response }: Asked): void {
  const query = url.searchParams;
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  const end = objects.watch(url.pathname, Number(query.get("resourceVersion")), ({ type, object }) => {
    response.write(`${JSON.stringify({ type, object })}\n`);
  });
  const timer = setTimeout(() => response.end(), Number(query.get("timeoutSeconds") ?? "300") * 1000);
  response.on("close", () => {
    clearTimeout(timer);
    end();
  });
}

function serveGet({ groups, objects, url, response }: Asked): void {
  const path = url.pathname;
  const query = url.searchParams;
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
  const all = objects.list(path);
  const from = Number(query.get("continue") ?? "0");
  const limit = Number(query.get("limit") ?? "500");
  const more = from + limit < all.length ? { continue: String(from + limit) } : {};
  const items = all.slice(from, from + limit);
  send(response, 200, { kind: "List", metadata: { resourceVersion: String(objects.version), ...more }, items });
}

function servePatch({ objects, url, request, response }: Asked, body: Json): void {
  const path = url.pathname;
  const target = path.replace(/\/status$/u, "");
  const stored = objects.get(target);
  const isApply = request.headers["content-type"] === "application/apply-patch+yaml";
  if (stored === undefined) {
    if (isApply && !path.endsWith("/status")) send(response, 201, objects.put(target, body));
    else send(response, 404, failure(404, "NotFound"));
    return;
  }
  const wanted = (body["metadata"] as Json | undefined)?.["resourceVersion"];
  if (wanted !== undefined && wanted !== (stored.object["metadata"] as Json)["resourceVersion"]) {
    send(response, 409, failure(409, "Conflict"));
    return;
  }
  const manager = url.searchParams.get("fieldManager") ?? "";
  send(response, 200, objects.put(target, patched(stored, { path, body, isApply, manager })));
}

function servePost({ objects, url, response }: Asked, body: Json): void {
  const target = `${url.pathname}/${String((body["metadata"] as Json)["name"])}`;
  if (objects.get(target) !== undefined) send(response, 409, failure(409, "AlreadyExists"));
  else send(response, 201, objects.put(target, body));
}

function serveDelete({ objects, url, response }: Asked): void {
  if (objects.remove(url.pathname)) send(response, 200, { kind: "Status", status: "Success" });
  else send(response, 404, failure(404, "NotFound"));
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
