import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressOf } from "../../support/http-server.ts";

interface Stored {
  readonly name: string;
  version: number;
}

/** What the server does with the next request of a kind, instead of the right thing. */
export type Mischief = (request: IncomingMessage, response: ServerResponse, server: HostileServer) => void;

/**
 * A stand-in for an API server with one kind of object, by the published rules of lists and watches, that can do to its clients what real ones
 * do on bad days. The real server is in the lane `api-server`.
 */
export interface HostileServer {
  readonly origin: string;
  /** Taken by the next lists and watches, one each. */
  readonly lists: Mischief[];
  readonly watches: Mischief[];
  readonly requests: { readonly watch: boolean; readonly query: URLSearchParams; readonly at: number }[];
  /** Changes or makes an object; open watches are told. */
  change(name: string): void;
  remove(name: string): void;
  /** Ends every watch that is open, cleanly. */
  closeWatches(): void;
  /** Only the newest version can be watched from after this. */
  compact(): void;
  version(): number;
  send(response: ServerResponse, type: string, object: unknown): void;
  close(): Promise<void>;
}

export async function startHostileServer(): Promise<HostileServer> {
  const objects = new Map<string, Stored>();
  const history: { readonly type: string; readonly object: unknown; readonly version: number }[] = [];
  const open = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  let version = 1;
  let oldest = 0;
  const http = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://x").searchParams;
    const watch = query.get("watch") === "true";
    server.requests.push({ watch, query, at: performance.now() });
    const mischief = (watch ? server.watches : server.lists).shift();
    if (mischief !== undefined) mischief(request, response, server);
    else if (watch) serveWatch(query, response);
    else serveList(query, response);
  });
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const record = (type: string, name: string) => {
    const event = { type, object: objectOf(name, version), version };
    history.push(event);
    for (const response of open) server.send(response, type, event.object);
  };
  const serveList = (query: URLSearchParams, response: ServerResponse) => {
    const all = [...objects.values()];
    const from = Number(query.get("continue") ?? "0");
    const limit = Number(query.get("limit") ?? "500");
    const more = from + limit < all.length ? { continue: String(from + limit) } : {};
    json(response, 200, {
      kind: "List",
      metadata: { resourceVersion: String(version), ...more },
      items: all.slice(from, from + limit).map(({ name, version: at }) => objectOf(name, at)),
    });
  };
  const serveWatch = (query: URLSearchParams, response: ServerResponse) => {
    const from = Number(query.get("resourceVersion"));
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (from < oldest) {
      server.send(response, "ERROR", {
        kind: "Status",
        code: 410,
        reason: "Expired",
        message: "too old resource version",
      });
      response.end();
      return;
    }
    for (const event of history) if (event.version > from) server.send(response, event.type, event.object);
    open.add(response);
    const timer = setTimeout(() => response.end(), Number(query.get("timeoutSeconds") ?? "300") * 1000);
    response.on("close", () => {
      clearTimeout(timer);
      open.delete(response);
    });
  };
  const server: HostileServer = {
    origin: `http://127.0.0.1:${String(addressOf(http.address()).port)}`,
    lists: [],
    watches: [],
    requests: [],
    change: (name) => {
      version += 1;
      const known = objects.has(name);
      objects.set(name, { name, version });
      record(known ? "MODIFIED" : "ADDED", name);
    },
    remove: (name) => {
      version += 1;
      objects.delete(name);
      record("DELETED", name);
    },
    closeWatches: () => {
      for (const response of open) response.end();
    },
    compact: () => {
      oldest = version;
    },
    version: () => version,
    send: (response, type, object) => {
      response.write(`${JSON.stringify({ type, object })}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        http.close(() => {
          resolve();
        });
      }),
  };
  return server;
}

function objectOf(name: string, version: number) {
  return { metadata: { name, namespace: "default", resourceVersion: String(version) } };
}

export function json(response: ServerResponse, status: number, ...content: readonly unknown[]): void {
  const [body, headers] = content as readonly [unknown, Readonly<Record<string, string>>?];
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
