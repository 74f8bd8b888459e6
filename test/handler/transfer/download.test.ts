import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { download, type DownloadRequest } from "../../../handler/transfer/download.ts";
import { fileSink } from "../../../handler/transfer/download-sinks.ts";
import { httpTransfer } from "../../../handler/transfer/http-transfer.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { checkHost, fastHost } from "../../support/check-host.ts";
import { ok, startHttpServer, status, type Answer, type TestServer } from "../../support/http-server.ts";

let server: TestServer;
const host = fastHost(checkHost());
const body = "#!/bin/sh\necho good\n";

beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.close());

/** Downloads /file, which answers as told; gives the file or the error, the folder's content and the virtual time it took. */
async function run(answers: readonly Answer[], more: Partial<DownloadRequest> & { readonly address?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "capz-download-"));
  const path = join(folder, "file");
  const before = server.requests.length;
  server.answer("/file", ...answers);
  const sink = fileSink(path);
  const started = host.monotonicMs();
  const error = await download({
    host,
    description: "https://files.example/file",
    open: httpTransfer(host, new URL(more.address ?? `${server.origin}/file`)),
    sink,
    maxBytes: 1000,
    timeoutMs: 300_000,
    // Two seconds of real time: a busy test machine is no stall.
    stallMs: 200_000,
    signal: new AbortController().signal,
    seed: "vm-1",
    ...more,
  })
    .then(() => sink.finish(0o500))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    .finally(() => sink.discard());
  return {
    error: error instanceof HandlerError ? { id: error.id, message: error.message } : error,
    text: existsSync(path) ? readFileSync(path, "utf8") : undefined,
    mode: existsSync(path) ? statSync(path).mode & 0o777 : undefined,
    left: readdirSync(folder),
    tries: server.requests.length - before,
    tookMs: host.monotonicMs() - started,
  };
}

test("a good answer becomes a file that may be run and not changed", async () => {
  expect(await run([ok(body)])).toMatchObject({ error: undefined, text: body, mode: 0o500, left: ["file"], tries: 1 });
});

test("body breaks off, then good -> good file", async () => {
  const result = await run([{ kind: "break-off", body, afterBytes: 7 }, ok(body)]);
  expect(result).toMatchObject({ error: undefined, text: body, tries: 2, left: ["file"] });
});

test("body always breaks off -> error, and no part of the file is left", async () => {
  const result = await run([{ kind: "break-off", body, afterBytes: 7 }]);
  expect(result).toMatchObject({ error: { id: "downloadFailed" }, left: [], tries: 8 });
});

test("body stalls -> timeout", async () => {
  const result = await run([{ kind: "stall", body, afterBytes: 7 }], { timeoutMs: 100_000, stallMs: 10_000 });
  expect(result).toMatchObject({ error: { id: "downloadTimedOut" }, left: [] });
});

test("body stalls once, then good -> good file", async () => {
  const result = await run([{ kind: "stall", body, afterBytes: 7 }, ok(body)], { stallMs: 60_000 });
  expect(result).toMatchObject({ error: undefined, text: body, tries: 2 });
});

test("a server that never answers -> timeout", async () => {
  const result = await run([{ kind: "silence" }], { timeoutMs: 20_000 });
  expect(result.error).toEqual({
    id: "downloadTimedOut",
    message: "Cannot download https://files.example/file: the time ran out while it was under way",
  });
});

test.each([
  [401, "downloadDenied"],
  [403, "downloadDenied"],
  [404, "downloadNotFound"],
  [410, "downloadNotFound"],
  [400, "downloadFailed"],
  [409, "downloadFailed"],
  [501, "downloadFailed"],
])("status %d is an error at once: %s, and no file", async (code, id) => {
  expect(await run([status(code), ok(body)])).toMatchObject({ error: { id }, left: [], tries: 1 });
});

test.each([408, 429, 500, 502, 503, 504])("status %d is tried again and heals", async (code) => {
  expect(await run([status(code), ok(body)])).toMatchObject({ error: undefined, text: body, tries: 2 });
});

test("an error names the storage service's own code", async () => {
  const { error } = await run([status(403, { "x-ms-error-code": "AuthenticationFailed" })]);
  expect(error).toMatchObject({ message: expect.stringContaining("403 (AuthenticationFailed)") });
});

test("429 with Retry-After is honoured", async () => {
  const result = await run([status(429, { "retry-after": "50" }), ok(body)]);
  expect(result).toMatchObject({ error: undefined, tries: 2 });
  expect(result.tookMs).toBeGreaterThanOrEqual(50_000);
});

test("a Retry-After beyond the deadline ends the download at once", async () => {
  const result = await run([status(429, { "retry-after": "100000" })]);
  expect(result).toMatchObject({ error: { id: "downloadFailed" }, tries: 1 });
  expect(result.tookMs).toBeLessThan(300_000);
});

test("a file that announces too much is refused before a byte is kept", async () => {
  expect(await run([ok("x".repeat(1001))])).toMatchObject({ error: { id: "downloadTooLarge" }, left: [], tries: 1 });
});

test("a file that grows too large without announcing it is refused", async () => {
  expect(await run([{ kind: "flood", bytes: 5_000_000 }])).toMatchObject({
    error: { id: "downloadTooLarge" },
    left: [],
  });
});

test("a redirect on loopback is followed, without the user and password of the first address", async () => {
  server.answer("/other", ok(body));
  const before = server.requests.length;
  const address = `http://someone:secret@127.0.0.1:${String(server.port)}/file`;
  const result = await run([{ kind: "redirect", to: "/other" }], { address });
  expect(result).toMatchObject({ error: undefined, text: body });
  const [first, second] = server.requests.slice(before);
  expect(first?.headers.authorization).toBe(`Basic ${Buffer.from("someone:secret").toString("base64")}`);
  expect(second?.headers.authorization).toBeUndefined();
});

test("a redirect to plain http elsewhere is refused at once and its query not printed", async () => {
  const result = await run([{ kind: "redirect", to: "http://elsewhere.example/file?sig=SECRET" }]);
  expect(result).toMatchObject({
    error: {
      message: expect.stringContaining("redirected to http://elsewhere.example/file?<redacted>, which is not https"),
    },
    tries: 1,
  });
  expect(JSON.stringify(result.error)).not.toContain("SECRET");
});

test("an https address is never redirected to http, not even to loopback", async () => {
  const answers = [new Response(null, { status: 302, headers: { location: `${server.origin}/file` } })];
  const stub = { ...host, fetch: () => Promise.resolve(answers[0] ?? new Response()) };
  const opened = await httpTransfer(stub, new URL("https://files.example/file"))(new AbortController().signal);
  expect(opened).toMatchObject({ kind: "failed", retry: "never", reason: expect.stringContaining("not https") });
});

test("redirects in a circle end", async () => {
  const result = await run([{ kind: "redirect", to: "/file" }]);
  expect(result).toMatchObject({
    error: { id: "downloadFailed", message: expect.stringContaining("more than 5 times") },
  });
});

test("a name that does not resolve is given up after a few tries", async () => {
  const opened: string[] = [];
  const failing = { ...host, fetch: () => Promise.reject(new TypeError("fetch failed", { cause: notFound() })) };
  const transfer = httpTransfer(failing, new URL("https://nowhere.example/file"));
  const result = await run([], {
    open: async (signal) => {
      opened.push("try");
      return await transfer(signal);
    },
  });
  expect(result).toMatchObject({ error: { id: "downloadFailed", message: expect.stringContaining("(ENOTFOUND)") } });
  expect(opened).toHaveLength(3);
});

test("a server that refuses connections is tried until the tries are used up", async () => {
  const closed = await startHttpServer();
  await closed.close();
  const { error } = await run([], { address: `${closed.origin}/file` });
  expect(error).toMatchObject({
    id: "downloadFailed",
    message: expect.stringContaining("(ECONNREFUSED), in the last of 8 tries"),
  });
});

test("when the handler is stopped the download ends as interrupted", async () => {
  const stop = new AbortController();
  const running = run([{ kind: "silence" }], { signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ error: { id: "interrupted" }, left: [] });
});

test("a body stored with gzip as its encoding arrives unpacked and whole", async () => {
  const { gzipSync } = await import("node:zlib");
  const result = await run([{ kind: "send", headers: { "content-encoding": "gzip" }, body: gzipSync(body) }]);
  expect(result).toMatchObject({ error: undefined, text: body });
});

function notFound(): Error {
  return Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.example"), { code: "ENOTFOUND" });
}
