import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with one request. */
export type Answer =
  | {
      readonly kind: "send";
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Announces the whole body, sends a part and cuts the connection. */
  | { readonly kind: "break-off"; readonly body: string; readonly afterBytes: number }
  /** Announces the whole body, sends a part and then nothing more. */
  | { readonly kind: "stall"; readonly body: string; readonly afterBytes: number }
  /** Accepts the request and never answers. */
  | { readonly kind: "silence" }
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** Sends zeros without announcing how many. */
  | { readonly kind: "flood"; readonly bytes: number };

interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface TestServer {
  /** "http://127.0.0.1:12345" */
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Answers for a path, one per request; the last one stays. */
  answer(path: string, ...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

export const ok = (body: string | Uint8Array): Answer => ({ kind: "send", body });
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  kind: "send",
  status: code,
  headers,
});

/** A real server on loopback that can fail, stall, heal, redirect and send wrong lengths. */
export async function startHttpServer(): Promise<TestServer> {
  const planned = new Map<string, Answer[]>();
  const requests: SeenRequest[] = [];
  const server = await listen((request, response) => {
    const path = new URL(request.url ?? "/", "http://server.test").pathname;
    requests.push({ path: request.url ?? "", headers: request.headers });
    const answers = planned.get(path) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    give(response, answer ?? status(404));
  });
  return {
    ...server,
    requests,
    answer(path, ...answers) {
      planned.set(path, [...answers]);
    },
  };
}

/** Listens on a free port of loopback; `close` also cuts open connections. */
export async function listen(
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly port: number; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server.address());
  return {
    port,
    origin: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address;
}

function give(response: ServerResponse, answer: Answer): void {
  switch (answer.kind) {
    case "send":
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? "");
      return;
    case "redirect":
      response.writeHead(answer.status ?? 302, { location: answer.to }).end();
      return;
    case "break-off":
    case "stall":
      response.writeHead(200, { "content-length": String(Buffer.byteLength(answer.body)) });
      response.write(Buffer.from(answer.body).subarray(0, answer.afterBytes), () => {
        if (answer.kind === "break-off") response.destroy();
      });
      return;
    case "silence":
      return;
    case "flood":
      response.writeHead(200);
      response.end(Buffer.alloc(answer.bytes));
      return;
  }
}
