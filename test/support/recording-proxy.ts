import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { addressOf } from "./http-server.ts";
import type { ApiServer } from "./api-server.ts";

interface RecordedRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly watch: boolean;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Stands before the API server: writes down every request, and gives kubectl the two root lists that this API server lacks. */
export interface RecordingProxy {
  readonly origin: string;
  readonly requests: RecordedRequest[];
  /** Called before a request is passed on; true keeps it back and cuts the connection. */
  cut: ((request: IncomingMessage) => boolean) | undefined;
  close(): Promise<void>;
}

export async function startRecordingProxy(upstream: ApiServer): Promise<RecordingProxy> {
  const agent = new https.Agent({ keepAlive: true, ca: upstream.ca });
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    if (proxy.cut?.(request) === true) {
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? "/", "http://proxy.test");
    if (url.pathname === "/api") sendJson(response, { kind: "APIVersions", versions: [] });
    else if (url.pathname === "/apis")
      void groups(upstream).then((list) => {
        sendJson(response, list);
      });
    else pass(request, response, url);
  });
  const pass = (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const parts: Buffer[] = [];
    const onward = https.request(
      new URL(request.url ?? "/", upstream.origin),
      { method: request.method, agent, headers: { ...request.headers, host: new URL(upstream.origin).host } },
      (answer) => {
        proxy.requests.push({
          method: request.method ?? "",
          path: url.pathname,
          watch: url.searchParams.get("watch") === "true",
          status: answer.statusCode ?? 0,
          contentType: request.headers["content-type"],
          body: Buffer.concat(parts).toString("utf8"),
        });
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        response.on("close", () => answer.destroy());
        answer.on("error", () => response.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.on("data", (part: Buffer) => parts.push(part));
    request.pipe(onward);
  };
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: RecordingProxy = {
    origin: `http://127.0.0.1:${String(addressOf(server.address()).port)}`,
    requests: [],
    cut: undefined,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        agent.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  return proxy;
}

/** What a whole API server answers at /apis: the groups of all CRDs. */
async function groups(upstream: ApiServer): Promise<unknown> {
  const { json } = await upstream.request("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
  const crds = (json as { readonly items: readonly { readonly spec: { readonly group: string } }[] }).items;
  const names = [...new Set(crds.map(({ spec }) => spec.group))];
  const found = await Promise.all(names.map(async (name) => (await upstream.request("GET", `/apis/${name}`)).json));
  return { kind: "APIGroupList", apiVersion: "v1", groups: found };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
