import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "@jest/globals";
import { download, type DownloadRequest } from "../../../handler/transfer/download.ts";
import { fileSink, memorySink } from "../../../handler/transfer/download-sinks.ts";
import { httpTransfer } from "../../../handler/transfer/http-transfer.ts";
import { pinnedSink } from "../../../handler/transfer/pinned-sink.ts";
import { startStallWatch } from "../../../handler/transfer/stall-watch.ts";
import type { OpenedTransfer, TransferFailure } from "../../../handler/transfer/transfer.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { checkHost, fastHost } from "../../support/check-host.ts";
import { ok, startHttpServer, status, type Answer, type TestServer } from "../../support/http-server.ts";
import { openFilesBelow } from "../../support/open-files.ts";

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

test("a try that the deadline cuts off does not hide how the one before it ended", async () => {
  const refused = await run([status(503), { kind: "silence" }], { timeoutMs: 20_000 });
  expect(refused.error).toEqual({
    id: "downloadTimedOut",
    message:
      "Cannot download https://files.example/file: the time ran out while it was under way, in the last of 2 tries; " +
      "the try before it ended with: the server answered 503",
  });
  const broken = await run([status(503), { kind: "break-off", body, afterBytes: 7 }, { kind: "silence" }], {
    timeoutMs: 20_000,
  });
  const told = JSON.stringify(broken.error);
  expect(told).toMatch(/in the last of 3 tries; the try before it ended with: [^;]+"/u);
  expect(told).not.toContain("503");
  // What ended by itself needs no other try's words.
  const gone = await run([status(503), status(404)]);
  expect(JSON.stringify(gone.error)).not.toContain("the try before");
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

test("a file of just the size that is allowed is kept, announced or not", async () => {
  expect(await run([ok("x".repeat(1000))])).toMatchObject({ error: undefined, text: "x".repeat(1000) });
  expect(await run([{ kind: "flood", bytes: 1000 }])).toMatchObject({ error: undefined, text: "\0".repeat(1000) });
  const announced = opening([opened(["x".repeat(1000)], 1000)]);
  expect(await run([], { open: announced.open })).toMatchObject({ error: undefined, text: "x".repeat(1000) });
});

const opened = (chunks: readonly string[], expectedBytes?: number): OpenedTransfer => ({
  kind: "open",
  body: (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  })(),
  expectedBytes,
});
/** Answers in this order; the last one stays. */
const opening = (answers: readonly (OpenedTransfer | TransferFailure)[]) => {
  const left = [...answers];
  const asked: string[] = [];
  const open = () => {
    asked.push("try");
    const [answer = opened([])] = left;
    if (left.length > 1) left.shift();
    return Promise.resolve(answer);
  };
  return { open, asked };
};

test("what announces too much is not even read", async () => {
  const result = await run([], { open: opening([opened(["short"], 1001)]).open });
  expect(result.error).toEqual({
    id: "downloadTooLarge",
    message: "Cannot download https://files.example/file: it is larger than the allowed 1000 bytes",
  });
});

test.each([
  ["short", 7],
  ["longer than announced", 11],
])("a body that ends quietly but is %s has broken off, and is tried again", async (_, length) => {
  const part = "x".repeat(length);
  const { open, asked } = opening([opened([part], 10), opened(["0123456789"], 10)]);
  expect(await run([], { open })).toMatchObject({ error: undefined, text: "0123456789" });
  expect(asked).toHaveLength(2);
  const always = { open: () => Promise.resolve(opened([part], 10)) };
  expect((await run([], always)).error).toMatchObject({
    id: "downloadFailed",
    message: expect.stringContaining(
      `: the body broke off after ${String(length)} of 10 bytes, in the last of 8 tries`,
    ),
  });
});

test.each([
  [400, "400 ms"],
  [1000, "1 s"],
  [10_000, "10 s"],
])("a server that falls silent for %d ms is told so", async (stallMs, told) => {
  const own = fastHost(checkHost(), 2000);
  expect((await run([{ kind: "silence" }], { host: own, stallMs, timeoutMs: 1e8 })).error).toEqual({
    id: "downloadTimedOut",
    message: `Cannot download https://files.example/file: no byte arrived for ${told}, in the last of 8 tries`,
  });
});

test("a connection that breaks under a body is told by its code", async () => {
  const breaking = async function* () {
    yield await Promise.resolve(Buffer.from("x"));
    throw Object.assign(new Error("it broke"), { code: "ECONNRESET" });
  };
  const open = () => Promise.resolve({ kind: "open", body: breaking(), expectedBytes: undefined } as const);
  const more = { host: fastHost(checkHost(), 2000), stallMs: 1e7, timeoutMs: 1e8 };
  expect((await run([], { ...more, open })).error).toEqual({
    id: "downloadFailed",
    message: "Cannot download https://files.example/file: the connection failed (ECONNRESET), in the last of 8 tries",
  });
});

test("a failure's own advice is told; else that of the table", async () => {
  const failed = { kind: "failed", id: "downloadDenied", reason: "it said no", retry: "never" } as const;
  const adviceOf = async (failure: TransferFailure): Promise<unknown> =>
    download({
      host,
      description: "x",
      open: opening([failure]).open,
      sink: memorySink(),
      maxBytes: 10,
      timeoutMs: 1000,
      signal: new AbortController().signal,
      seed: "",
    }).catch((error: unknown) => (error as HandlerError).hint);
  expect(await adviceOf({ ...failed, hint: "Write https" })).toBe("Write https");
  expect(await adviceOf(failed)).toBe(new HandlerError("downloadDenied", "").hint);
});

test("a disk that takes nothing ends a download at once, and says so", async () => {
  const sink = fileSink(join(mkdtempSync(join(tmpdir(), "capz-download-")), "none/file"));
  const { open, asked } = opening([opened(["x"])]);
  const result = await run([], { open, sink });
  expect(result.error).toMatchObject({
    id: "stateUnwritable",
    message: expect.stringMatching(/^Cannot write the download .*none\/\.capz-file\.part: .*no such file/u),
  });
  expect(asked).toEqual([]);
});

/** A clock that only the test and its pauses move, on a machine that has been running for a while. */
function steppedHost() {
  const clock = { ms: 900_000 };
  const sleeps: { readonly ms: number; readonly signal: AbortSignal | undefined }[] = [];
  return {
    clock,
    sleeps,
    host: {
      monotonicMs: () => clock.ms,
      // Limits never come here; pauses between tries are over at once.
      sleep: (ms: number, signal?: AbortSignal) => {
        sleeps.push({ ms, signal });
        if (ms === 100_000 || ms === 30_000 || ms === 5000) return new Promise<void>(() => undefined);
        clock.ms += ms;
        return Promise.resolve();
      },
    },
  };
}

test.each([
  [39_999, 2],
  [40_000, 1],
  [50_000, 1],
])("with 40 s left a pause of %d ms leads to %d tries", async (retryAfterMs, tries) => {
  const { host: own, clock } = steppedHost();
  const busy = { kind: "failed", id: "downloadFailed", reason: "it is busy", retry: "yes", retryAfterMs } as const;
  let asked = 0;
  const open = () => {
    asked += 1;
    if (asked === 1) clock.ms += 60_000;
    return Promise.resolve(asked === 1 ? busy : opened(["x"]));
  };
  const { error } = await run([], { host: own, open, timeoutMs: 100_000, stallMs: 5000 });
  expect([asked, error === undefined]).toEqual([tries, tries === 2]);
});

test("after a download no wait for its end, and for the end of a silence, is left", async () => {
  const { host: own, sleeps } = steppedHost();
  const request = { host: own, open: opening([opened(["x"])]).open, description: "x", sink: memorySink() };
  const more = { maxBytes: 10, timeoutMs: 100_000, signal: new AbortController().signal, seed: "" };
  await download({ ...request, ...more });
  expect(sleeps.map(({ ms, signal }) => [ms, signal?.aborted])).toEqual([
    [100_000, true],
    [30_000, true],
  ]);
});

test("a silence begins anew with each touch, and ends with stop()", async () => {
  const clock = { ms: 70_000 };
  const waits: { readonly ms: number; readonly signal: AbortSignal | undefined; over(): void }[] = [];
  const own = {
    monotonicMs: () => clock.ms,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push({ ms, signal, over: resolve });
      }),
  };
  const next = async () => {
    const wait = waits.at(-1);
    clock.ms += wait?.ms ?? 0;
    wait?.over();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const stall = startStallWatch(own, 1000);
  clock.ms += 600;
  stall.touch();
  clock.ms -= 600;
  await next();
  expect(stall.signal.aborted).toBe(false);
  expect(waits.map(({ ms }) => ms)).toEqual([1000, 600]);
  await next();
  expect(stall.signal.aborted).toBe(true);
  const stopped = startStallWatch(own, 1000);
  stopped.stop();
  expect(waits.at(-1)?.signal?.aborted).toBe(true);
  await next();
  expect(stopped.signal.aborted).toBe(false);
});

test("what is kept in memory is the last try's alone", async () => {
  const sink = memorySink();
  expect(sink.bytes()).toEqual(Buffer.alloc(0));
  await sink.restart();
  await sink.write(Buffer.from("one"));
  await sink.restart();
  await sink.write(Buffer.from("tw"));
  await sink.write(Buffer.from("o"));
  expect(sink.bytes().toString()).toBe("two");
});

test("a file that is under way is open once, for us alone, and closed at its end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-sink-"));
  const openHere = () => openFilesBelow(folder).length;
  for (const end of ["finish", "discard"] as const) {
    const sink = fileSink(join(folder, end));
    await sink.restart();
    await sink.write(Buffer.from("first try"));
    await sink.restart();
    expect([openHere(), statSync(join(folder, `.capz-${end}.part`)).mode & 0o777]).toEqual([1, 0o600]);
    await sink.write(Buffer.from("second"));
    await sink[end](0o444);
    expect(openHere()).toBe(0);
  }
  expect(readdirSync(folder)).toEqual(["finish"]);
  expect(readFileSync(join(folder, "finish"), "utf8")).toBe("second");
});

describe("a file that is pinned", () => {
  const sha256 = createHash("sha256").update("pinned").digest("hex");
  const pinned = (of: string | undefined) => {
    const path = join(mkdtempSync(join(tmpdir(), "capz-pinned-")), "file");
    const sink = fileSink(path);
    return { path, sink, own: pinnedSink({ sink, sha256: of, description: "https://files.example/file" }) };
  };

  it("gets its name when its bytes are those of the pin, whatever an earlier try brought", async () => {
    const { own, path } = pinned(sha256);
    await own.restart();
    await own.write(Buffer.from("pin"));
    await own.restart();
    await own.write(Buffer.from("pin"));
    await own.write(Buffer.from("ned"));
    await own.finish(0o500);
    expect(readFileSync(path, "utf8")).toBe("pinned");
    expect(statSync(path).mode & 0o777).toBe(0o500);
  });

  it("gets no name when they are others, and both digests are told", async () => {
    const { own, path } = pinned(sha256);
    await own.restart();
    await own.write(Buffer.from("other"));
    const found = createHash("sha256").update("other").digest("hex");
    await expect(own.finish(0o500)).rejects.toMatchObject({
      id: "checkUntrusted",
      message: `https://files.example/file is not the file that fileUris pins: its SHA-256 is ${found}, allowed is ${sha256}; nothing was run`,
      hint: expect.stringContaining("#sha256="),
    });
    await own.discard();
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("is any file where nobody pins it", () => {
    const { own, sink } = pinned(undefined);
    expect(own).toBe(sink);
  });
});

const answering = (...answers: readonly Response[]) => {
  const asked: string[] = [];
  const fetch = (url: string) => {
    asked.push(url);
    return Promise.resolve(answers[asked.length - 1] ?? new Response("end"));
  };
  return { asked, host: { ...host, fetch: fetch as typeof globalThis.fetch } };
};
const moved = (location: string) => new Response(null, { status: 302, headers: { location } });

test.each([
  [{ "content-length": "3" }, 3],
  [{ "content-length": "3", "content-encoding": "identity" }, 3],
  [{ "content-length": "3", "content-encoding": "gzip" }, undefined],
  [{}, undefined],
])("of an answer with %j so many bytes are expected: %s", async (headers: Record<string, string>, expectedBytes) => {
  const { host: own } = answering(new Response("abc", { headers }));
  const transfer = await httpTransfer(own, new URL("https://files.example/a"))(new AbortController().signal);
  expect(transfer).toMatchObject({ kind: "open", expectedBytes });
});

test.each([
  ["https://files.example/a", "https://other.example/b", undefined],
  ["http://files.example/a", "https://other.example/b", undefined],
  ["http://127.0.0.1/a", "http://localhost/b", undefined],
  ["https://127.0.0.1/a", "http://localhost/b", "to http://localhost/b, which is not https"],
  ["http://files.example/a", "http://other.example/b", undefined],
  ["http://files.example/a", "http://127.0.0.1/b", "to http://127.0.0.1/b, which is a service of the machine's own"],
  ["http://127.0.0.1/a", "http://files.example/b", "to http://files.example/b, which is not https"],
  ["http://127.0.0.1/a", "ftp://127.0.0.1/b", "to ftp://127.0.0.1/b, which is not https"],
  ["https://files.example/a", "http://[bad", "to an address that cannot be parsed"],
])("a redirect from %s to %s ends with: %s", async (from, to, refusal) => {
  const { host: own, asked } = answering(moved(to));
  const transfer = await httpTransfer(own, new URL(from))(new AbortController().signal);
  if (refusal === undefined) expect([transfer.kind, asked]).toEqual(["open", [from, to]]);
  else {
    expect(transfer).toEqual({
      kind: "failed",
      id: "downloadFailed",
      reason: `the server redirected ${refusal}`,
      retry: "never",
    });
    expect(asked).toHaveLength(1);
  }
});

describe("a redirect to what only this machine has", () => {
  /** Every name leads to the test's server, as if a resolver said so; the path tells which one was asked. */
  const everywhere: typeof globalThis.fetch = (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    return globalThis.fetch(`${server.origin}/${encodeURIComponent(origin)}${pathname}`, init);
  };
  const asked = async (target: string, from = "http://files.example/file") => {
    const before = server.requests.length;
    const first = `/${encodeURIComponent(new URL(from).origin)}/file`;
    server.answer(first, { kind: "redirect", to: target });
    const own = { ...host, fetch: everywhere };
    const transfer = await httpTransfer(own, new URL(from))(new AbortController().signal);
    if (transfer.kind === "open") for await (const chunk of transfer.body) expect(chunk.length).toBeGreaterThan(0);
    return { transfer, paths: server.requests.slice(before).map(({ path }) => decodeURIComponent(path).slice(1)) };
  };

  it.each([
    "http://169.254.169.254/metadata/instance",
    "http://169.254.169.254./metadata/instance",
    "http://0xa9fea9fe/metadata/instance",
    "http://2852039166/metadata/instance",
    "http://168.63.129.16/machine?comp=goalstate",
    "http://168.63.129.16.:32526/vmSettings",
    "http://169.254.1.1/neighbour",
    "http://localhost:10248/healthz",
    "http://LOCALHOST./healthz",
    "http://kubelet.localhost/healthz",
    "http://localhost../healthz",
    "http://ip6-localhost:10255/pods",
    "http://IP6-loopback./pods",
    "http://localhost.localdomain/pods",
    "http://localhost6.localdomain6/pods",
    "http://0.1.2.3/pods",
    "http://127.8.7.6:10255/pods",
    "http://127.1/pods",
    "http://0/pods",
    "http://[::]/pods",
    "http://[::1]/pods",
    "http://[::ffff:169.254.169.254]/metadata",
    "http://[::169.254.169.254]/metadata",
    "http://[fe80::1]/neighbour",
    "http://[febf::1]/neighbour",
  ])("is refused, and nothing is asked there: %s", async (target) => {
    const { transfer, paths } = await asked(target);
    expect(transfer).toMatchObject({
      kind: "failed",
      retry: "never",
      reason: expect.stringContaining("which is a service of the machine's own"),
    });
    expect(paths).toEqual(["http://files.example/file"]);
  });

  it.each([
    ["http://mirror.localhost:8080/file", "/b", "open"],
    ["http://169.254.7.7/file", "http://169.254.7.7:8080/b", "open"],
    ["http://169.254.7.7/file", "http://169.254.169.254/b", "failed"],
  ])("is followed where the address itself leads there, to the same place: from %s to %s", async (from, to, kind) => {
    server.answer(`/${encodeURIComponent(new URL(to, from).origin)}/b`, ok(body));
    expect((await asked(to, from)).transfer.kind).toBe(kind);
  });

  it.each([
    "http://files.other.example/b",
    "http://10.0.0.4/b",
    "http://168.63.129.17/b",
    "http://169.253.169.254/b",
    "http://localhost.example/b",
    "http://ip6-localhost.example/b",
    "http://0.example/b",
    "http://[2001:db8::1]/b",
    "http://[fd00::4]/b",
  ])("is told from one to a server of the network, which is asked: %s", async (target) => {
    server.answer(`/${encodeURIComponent(new URL(target).origin)}/b`, ok(body));
    const { transfer, paths } = await asked(target);
    expect(transfer.kind).toBe("open");
    expect(paths).toEqual(["http://files.example/file", target]);
  });
});

test("five redirects are followed, and no sixth one", async () => {
  const steps = Array.from({ length: 6 }, (_, step) => moved(`/step-${String(step)}`));
  const after = async (count: number) => {
    const { host: own } = answering(...steps.slice(0, count));
    return (await httpTransfer(own, new URL("https://files.example/a"))(new AbortController().signal)).kind;
  };
  expect([await after(5), await after(6)]).toEqual(["open", "failed"]);
});

test("a password with a per cent sign that begins no escape is sent as it stands", async () => {
  const address = `http://some%40one:5%@127.0.0.1:${String(server.port)}/file`;
  const before = server.requests.length;
  await run([ok(body)], { address });
  expect(server.requests[before]?.headers.authorization).toBe(`Basic ${Buffer.from("some@one:5%").toString("base64")}`);
});
