import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Controller } from "../controller/controller.ts";
import type { Metrics } from "../controller/metrics.ts";

export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

/** `/healthz`, `/readyz` and `/metrics`. Nothing else is served, and nothing is read from a request but its path. */
export async function startProbeServer(
  listen: { readonly host: string; readonly port: number },
  { controller, metrics }: { readonly controller: Controller; readonly metrics: Metrics },
): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type });
      response.end(body);
    };
    if (request.url === "/healthz") answer(200, "ok\n");
    else if (request.url === "/readyz") {
      if (controller.ready()) answer(200, "ok\n");
      else answer(503, "The API server has not answered every list and watch lately\n");
    } else if (request.url === "/metrics") {
      controller.measure();
      metrics.registry.metrics().then(
        (text) => {
          answer(200, text, metrics.registry.contentType);
        },
        () => {
          answer(500, "The metrics cannot be read\n");
        },
      );
    } else answer(404, "Not found\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const address = `${listen.host}:${String(listen.port)}`;
      reject(
        new Error(`Probes cannot be served on ${address}: ${error.message}. Name another address with --listen.`, {
          cause: error,
        }),
      );
    });
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
