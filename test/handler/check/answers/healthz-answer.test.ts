import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { answerHealthz } from "../../../../handler/check/answers/healthz-answer.ts";
import type { Host } from "../../../../handler/host.ts";
import { checkHost } from "../../../support/check-host.ts";
import { ok, startHttpServer } from "../../../support/http-server.ts";
import { makeMachine } from "./made-machine.ts";

test("healthz is asked of this machine, and its answer is a status, a refusal or nothing", async () => {
  const server = await startHttpServer();
  server.answer("/healthz", ok("ok"));
  const port = Number(new URL(server.origin).port);
  const host = checkHost();
  expect(await answerHealthz(host, port)).toEqual({ kind: "known", value: { kind: "status", status: 200 } });
  await server.close();
  expect(await answerHealthz(host, port)).toEqual({ kind: "known", value: { kind: "refused" } });
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  const silentPort = typeof address === "object" ? (address?.port ?? 0) : 0;
  expect(await answerHealthz(host, silentPort, 50)).toEqual({ kind: "known", value: { kind: "no-answer" } });
  silent.close();
  expect((await answerHealthz(host, 0)).kind).toBe("cannot-tell");
  expect(await makeMachine().ask({ ask: "healthz", port })).toBe("only a running machine has ports");
});

/** A server that says this to whoever connects, then keeps the line open, closes it or breaks it. */
async function serving(
  {
    address = "127.0.0.1",
    port = 0,
    then = "open",
  }: { address?: string; port?: number; then?: "open" | "end" | "reset" },
  said: readonly string[],
) {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      heard.push(chunk.toString());
      void (async () => {
        for (const part of said) {
          socket.write(part);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (then === "end") socket.end();
        if (then === "reset") socket.resetAndDestroy();
      })();
    });
  }).listen(port, address);
  await new Promise((resolve) => server.once("listening", resolve));
  const bound = server.address();
  return { port: typeof bound === "object" ? (bound?.port ?? 0) : 0, heard, server };
}

test.each<[string, readonly string[], "open" | "end" | "reset", unknown]>([
  ["a status", ["HTTP/1.1 200 OK\r\n"], "open", { kind: "status", status: 200 }],
  ["an old form", ["HTTP/1.0 503 Unavailable\n"], "open", { kind: "status", status: 503 }],
  ["a status without a word", ["HTTP/1.1 401\r\n"], "open", { kind: "status", status: 401 }],
  ["pieces", ["HT", "TP/1.1 20", "0 OK\r", "\n"], "open", { kind: "status", status: 200 }],
  ["a line that ends with the connection", ["HTTP/1.1 204 No"], "end", { kind: "status", status: 204 }],
  ["another version", ["HTTP/2 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["something in front", ["xHTTP/1.1 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["a status in the second line", ["x\r\nHTTP/1.1 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["a status that there is not", ["HTTP/1.1 600 X\r\n"], "open", { kind: "no-answer" }],
  ["too long a status", ["HTTP/1.1 2000 X\r\n"], "open", { kind: "no-answer" }],
  ["nothing", [], "end", { kind: "no-answer" }],
  ["a line without an end", ["x".repeat(2000)], "open", { kind: "no-answer" }],
  ["a broken connection", ["HTTP/1.1 2"], "reset", { kind: "no-answer" }],
])("healthz of a port that says %s", async (...[, said, then, value]) => {
  const { port, heard, server } = await serving({ then }, said);
  expect(await answerHealthz(checkHost(), port, 60_000)).toEqual({ kind: "known", value });
  expect(heard.join("")).toMatch(/^GET \/healthz HTTP\/1\.1\r\nHost: 127\.0\.0\.1\r\n(?:.+\r\n)*\r\n$/u);
  server.close();
});

test("healthz is asked on ::1 where 127.0.0.1 refuses, as a kubelet of a cluster with IPv6 alone answers", async () => {
  const { port, server } = await serving({ address: "::1" }, ["HTTP/1.1 200 OK\r\n\r\nok"]);
  expect(await answerHealthz(checkHost(), port)).toEqual({ kind: "known", value: { kind: "status", status: 200 } });
  server.close();
  const odd = await serving({ address: "::1" }, ["no HTTP\r\n"]);
  expect(await answerHealthz(checkHost(), odd.port)).toEqual({ kind: "known", value: { kind: "refused" } });
  odd.server.close();
  const both = await serving({}, ["no HTTP\r\n"]);
  const other = await serving({ address: "::1", port: both.port }, ["HTTP/1.1 200 OK\r\n"]);
  expect(await answerHealthz(checkHost(), both.port)).toEqual({ kind: "known", value: { kind: "no-answer" } });
  expect(other.heard).toEqual([]);
  both.server.close();
  other.server.close();
});

test.each([0, -1, 1.5, 65_536, Number.NaN])("%d is no port that could be asked", async (port) => {
  expect(await answerHealthz(checkHost(), port)).toEqual({ kind: "cannot-tell", why: "it is not a port" });
});

test("healthz waits three seconds and leaves neither a wait nor a connection behind", async () => {
  const waits: (readonly [number, AbortSignal | undefined])[] = [];
  const sleep: Host["sleep"] = (ms, signal) => {
    waits.push([ms, signal]);
    return new Promise(() => undefined);
  };
  const { port, server } = await serving({}, ["HTTP/1.1 200 OK\r\n"]);
  const closed = new Promise((resolve) =>
    server.on("connection", (socket) => {
      socket.on("close", resolve);
    }),
  );
  expect(await answerHealthz({ sleep }, port)).toMatchObject({ kind: "known" });
  expect(waits.map(([ms, signal]) => [ms, signal?.aborted])).toEqual([[3000, true]]);
  await closed;
  server.close();
  for (const limit of [1, 65_535])
    expect(await answerHealthz(checkHost(), limit)).toEqual({ kind: "known", value: { kind: "refused" } });
});
