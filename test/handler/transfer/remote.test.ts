import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "@jest/globals";
import { openBlob, uploadBlob } from "../../../handler/transfer/azure-storage.ts";
import { remoteTransfer } from "../../../handler/transfer/remote-transfer.ts";
import { retryDelayMs } from "../../../handler/transfer/retry-delay.ts";
import { failureOfError, failureOfStatus, parseRetryAfter } from "../../../handler/transfer/transfer.ts";
import { isAzureStorage, upload, type UploadRequest } from "../../../handler/transfer/upload.ts";
import { httpTransfer } from "../../../handler/transfer/http-transfer.ts";
import { proxyForUrl, useProxy } from "../../../handler/transfer/use-proxy.ts";
import { Secret } from "../../../handler/settings/secret.ts";
import type { StorageAccess } from "../../../handler/settings/settings.ts";
import { checkHost, fastHost } from "../../support/check-host.ts";
import { addressOf, startHttpServer, status, type TestServer } from "../../support/http-server.ts";
import { startIdentityEndpoint, tokenAnswer, type IdentityEndpoint } from "../../support/identity-endpoint.ts";

/** What crosses to a server on loopback; azure-storage.test.ts reads and writes at a real Azurite. */
let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.close());
let before = 0;
beforeEach(() => {
  before = server.requests.length;
});
const asked = () => server.requests.slice(before);

const now = new Date("2026-01-31T12:00:00Z");

describe("what a status means", () => {
  it.each([
    [401, undefined, "downloadDenied", "never"],
    [403, "AuthorizationFailure", "downloadDenied", "never"],
    [404, "BlobNotFound", "downloadNotFound", "never"],
    [408, undefined, "downloadFailed", "yes"],
    [409, "PublicAccessNotPermitted", "downloadDenied", "never"],
    [409, "SomethingElse", "downloadFailed", "never"],
    [403, "PublicAccessNotPermitted", "downloadDenied", "never"],
    [410, undefined, "downloadNotFound", "never"],
    [418, undefined, "downloadFailed", "never"],
    [429, undefined, "downloadFailed", "yes"],
    [500, "PublicAccessNotPermitted", "downloadFailed", "yes"],
    [501, undefined, "downloadFailed", "never"],
    [503, undefined, "downloadFailed", "yes"],
    [505, undefined, "downloadFailed", "never"],
  ])("%d %s: %s, again: %s", (...[code, detail, id, retry]) => {
    const { hint, ...failure } = failureOfStatus(
      { status: code, header: (name) => (name === "x-ms-error-code" ? detail : undefined) },
      now,
    );
    expect(failure).toEqual({
      kind: "failed",
      id,
      retry,
      reason: `the server answered ${String(code)}${detail === undefined ? "" : ` (${detail})`}`,
    });
    // A server that answers can be reached.
    expect(hint !== undefined).toBe(code >= 500);
  });

  it("has at most 80 characters of the server's own words", () => {
    const { reason } = failureOfStatus({ status: 500, header: () => "x".repeat(500) }, now);
    expect(reason).toBe(`the server answered 500 (${"x".repeat(80)})`);
  });
});

test.each([
  [undefined, undefined],
  ["120", 120_000],
  [" 7 ", 7000],
  ["0", 0],
  ["1234567890", undefined],
  ["12 apples", undefined],
  ["soon", undefined],
  ["Sat, 31 Jan 2026 12:00:30 GMT", 30_000],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
])("Retry-After %j is %j ms", (value, ms) => {
  expect(parseRetryAfter(value, now)).toBe(ms);
});

const withCode = (code: unknown, more: object = {}): Error => Object.assign(new Error("it failed"), { code, ...more });

test.each([
  ["no code", new Error("x"), "no answer", "yes"],
  ["no error at all", undefined, "no answer", "yes"],
  ["a text", "ECONNRESET", "no answer", "yes"],
  ["a code that is no text", withCode(7), "no answer", "yes"],
  ["null", null, "no answer", "yes"],
  ["a code", withCode("ECONNREFUSED"), "ECONNREFUSED", "yes"],
  ["a code below a code", withCode("UND_ERR", { cause: withCode("ECONNRESET") }), "ECONNRESET", "yes"],
  [
    "the first of several addresses",
    withCode("OUTER", { errors: [withCode("ENOTFOUND"), withCode("X")] }),
    "ENOTFOUND",
    "few",
  ],
  ["a list that is none", withCode("OUTER", { errors: "none" }), "OUTER", "yes"],
  ["an empty list", withCode("OUTER", { errors: [] }), "OUTER", "yes"],
  ["a certificate", withCode("CERT_HAS_EXPIRED"), "CERT_HAS_EXPIRED", "few"],
  ["a certificate of its own", withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), "DEPTH_ZERO_SELF_SIGNED_CERT", "few"],
  ["an issuer that is not known", withCode("UNABLE_TO_GET_ISSUER"), "UNABLE_TO_GET_ISSUER", "few"],
  ["a circle", circle(), "LOOP", "yes"],
])("an error with %s is told and tried again accordingly", (...[, error, code, retry]) => {
  const { hint, ...failure } = failureOfError(error);
  expect(failure).toEqual({
    kind: "failed",
    id: "downloadFailed",
    reason: `the connection failed (${code})`,
    retry,
  });
  // A mistake is told with what to do.
  expect(hint !== undefined).toBe(retry === "few");
});

test.each([
  ["CERT_HAS_EXPIRED", "Renew the server's certificate"],
  ["CERT_NOT_YET_VALID", "Set the machine's clock"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Write the name that the server's certificate carries"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "into the machine's certificate store"],
  ["ENOTFOUND", "Correct the name in the address"],
])("an error with %s says what to do: %s", (code, hint) => {
  expect(failureOfError(withCode("OUTER", { cause: withCode(code) })).hint).toContain(hint);
});

test("a connection that nobody takes names whom it was for, which is the proxy where there is one", () => {
  const refused = withCode("ECONNREFUSED", { address: "10.0.0.9", port: 3128 });
  expect(failureOfError(withCode(undefined, { cause: refused })).reason).toBe(
    "the connection to 10.0.0.9:3128 failed (ECONNREFUSED)",
  );
  expect(failureOfError(withCode("ECONNREFUSED", { address: 1, port: "2" })).reason).not.toContain(" to ");
});

test.each([
  [407, "user and password"],
  [403, "Let the proxy through"],
])("a proxy that answers %d is named, with what to do", async (code, hint) => {
  const proxy = createServer().on("connect", (_, socket) => socket.end(`HTTP/1.1 ${String(code)} No\r\n\r\n`));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const at = `http://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}`;
  const restore = useProxy(new Secret(at), {});
  try {
    const opened = await httpTransfer(
      { fetch, now: () => now },
      new URL("https://files.invalid/a.sh"),
    )(new AbortController().signal);
    expect(opened).toMatchObject({ reason: `the proxy answered ${String(code)}`, hint: expect.stringContaining(hint) });
  } finally {
    restore();
    proxy.close();
  }
});

function circle(): Error {
  const error = withCode("LOOP");
  return Object.assign(error, { cause: error });
}

test("a chain of causes is followed six deep, and no further", () => {
  const chain = (depth: number): Error =>
    depth === 0 ? withCode("DEEPEST") : new Error("x", { cause: chain(depth - 1) });
  expect(failureOfError(chain(5)).reason).toContain("DEEPEST");
  expect(failureOfError(chain(6)).reason).toContain("no answer");
});

describe("the pause before another try", () => {
  it.each([1, 2, 3, 4, 5, 6, 20])("doubles up to half a minute, and is no shorter than its half: try %d", (tries) => {
    const whole = Math.min(30_000, 1000 * 2 ** (tries - 1));
    const seeds = Array.from({ length: 50 }, (_, index) => `vm-${String(index)}`);
    const delays = seeds.map((seed) => retryDelayMs({ tries, retryAfterMs: undefined, seed }));
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(whole / 2);
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(whole);
    expect(new Set(delays).size).toBeGreaterThan(40);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(whole / 4);
  });

  it("is at least what the server asks for, and the same for the same machine and try", () => {
    expect(retryDelayMs({ tries: 1, retryAfterMs: 60_000, seed: "a" })).toBe(60_000);
    expect(retryDelayMs({ tries: 1, retryAfterMs: 1, seed: "a" })).toBe(
      retryDelayMs({ tries: 1, retryAfterMs: undefined, seed: "a" }),
    );
    expect(retryDelayMs({ tries: 4, retryAfterMs: 0, seed: "a" }) / 2).not.toBe(
      retryDelayMs({ tries: 3, retryAfterMs: 0, seed: "a" }),
    );
  });
});

describe("the proxy of an address", () => {
  const env = { http_proxy: "http://plain.example:1", https_proxy: "http://secure.example:2" };
  it.each([
    ["https://files.example/a", undefined, env, "http://secure.example:2/"],
    ["http://files.example/a", undefined, env, "http://plain.example:1/"],
    ["https://files.example/a", undefined, { HTTPS_PROXY: "http://big.example:3" }, "http://big.example:3/"],
    ["http://files.example/a", undefined, { HTTP_PROXY: "http://big.example:3" }, "http://big.example:3/"],
    ["https://files.example/a", undefined, { ...env, HTTPS_PROXY: "http://big.example:3" }, "http://secure.example:2/"],
    ["http://files.example/a", undefined, { https_proxy: "http://secure.example:2" }, undefined],
    ["https://files.example/a", undefined, {}, undefined],
    ["https://files.example/a", "http://own.example:4", env, "http://own.example:4/"],
    ["http://files.example/a", "http://own.example:4", {}, "http://own.example:4/"],
    ["https://files.example/a", "no address", {}, undefined],
    ["https://files.example/a", undefined, { ...env, no_proxy: "*" }, undefined],
    ["https://files.example/a", undefined, { ...env, no_proxy: "other.example, FILES.example" }, undefined],
    ["https://files.example:8443/a", undefined, { ...env, NO_PROXY: "files.example:8443" }, undefined],
    ["https://files.example:8443/a", undefined, { ...env, NO_PROXY: "files.example:1" }, "http://secure.example:2/"],
    ["https://files.example/a", undefined, { ...env, no_proxy: ".example" }, undefined],
    ["https://files.example/a", undefined, { ...env, no_proxy: "*.example" }, undefined],
    ["https://files.example/a", undefined, { ...env, no_proxy: "example" }, "http://secure.example:2/"],
    ["https://files.example/a", undefined, { ...env, no_proxy: "les.example" }, "http://secure.example:2/"],
    ["https://files.example:8443/a", undefined, { ...env, no_proxy: "files.example" }, undefined],
    ["https://files.example/a", undefined, { ...env, no_proxy: ".*example" }, "http://secure.example:2/"],
    ["http://169.254.169.254/metadata", undefined, { ...env, no_proxy: "x" }, undefined],
    ["http://168.63.129.16/machine", "http://own.example:4", {}, undefined],
  ])("%s with %s in %j: %s", (...[url, own, given, expected]) => {
    const proxy = own === undefined ? undefined : new Secret(own);
    expect(proxyForUrl(new URL(url), proxy, given)?.href).toBe(expected);
  });
});

const key = Buffer.alloc(64, 7).toString("base64");
const accountKey: StorageAccess = { kind: "account-key", account: "acct1", key: new Secret(key) };

interface Given {
  readonly storage?: StorageAccess;
  readonly url?: string;
  readonly account?: string | undefined;
  readonly proxy?: string;
}

function blobRequest({ storage = accountKey, url = `${server.origin}/c/b`, account, proxy }: Given) {
  return {
    host: fastHost(checkHost()),
    settings: { storage, proxy: proxy === undefined ? undefined : new Secret(proxy) },
    remote: { storageAccountOf: () => account },
    url: new URL(url),
    signal: new AbortController().signal,
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("who sees the account key", () => {
  it.each([
    ["its own account", { account: "acct1" }, true],
    ["another account", { account: "acct2" }, false],
    ["a host that is no storage", { account: undefined }, false],
    ["an address with a SAS", { account: "acct1", url: "/c/b?sig=abc" }, false],
    ["a run without a key", { account: "acct1", storage: { kind: "anonymous" } as const }, false],
  ])("%s: %j", async (_, { url = "/c/b", ...given }: Given, seesIt) => {
    server.answer("/c/b", { kind: "send", body: "bytes", headers: { etag: '"1"', "content-length": "5" } });
    const opened = await openBlob(blobRequest({ ...given, url: `${server.origin}${url}` }));
    expect(opened).toMatchObject({ kind: "open", expectedBytes: 5 });
    expect(asked().map(({ headers }) => headers.authorization?.replace(/:.*/u, ""))).toEqual([
      seesIt ? "SharedKey acct1" : undefined,
    ]);
    expect(opened.kind === "open" ? await textOf(opened.body) : "").toBe("bytes");
  });
});

test.each([
  [
    503,
    {
      kind: "failed",
      id: "downloadFailed",
      retry: "yes",
      reason: "the server answered 503",
      retryAfterMs: 9000,
      hint: "Look at the server: it can be reached, but cannot answer",
    },
  ],
  [403, { kind: "failed", id: "downloadDenied", retry: "never", reason: "the server answered 403" }],
])("openBlob() asks once and tells of %d what a plain download tells", async (code, failure) => {
  server.answer("/c/b", status(code, code === 503 ? { "retry-after": "9" } : {}));
  expect(await openBlob(blobRequest({ account: "acct1" }))).toEqual(failure);
  expect(asked()).toHaveLength(1);
});

test("openBlob() that is stopped throws why, and a server that is gone is a failure with its reason", async () => {
  const stopped = { ...blobRequest({ account: "acct1" }), signal: AbortSignal.abort(new Error("stopped by us")) };
  await expect(openBlob(stopped)).rejects.toThrow("stopped by us");
  const gone = await startHttpServer();
  await gone.close();
  const request = blobRequest({ account: "acct1", url: `${gone.origin}/c/b` });
  expect(await openBlob(request)).toMatchObject({
    kind: "failed",
    retry: "yes",
    reason: expect.stringContaining("ECONNREFUSED"),
  });
  const refused = await uploadBlob(request, Buffer.from("x"), "text/plain");
  expect(refused).toEqual({ kind: "failed", reason: expect.stringContaining("ECONNREFUSED") });
});

test("openBlob() of a server that never answers ends with the stop, and one that redirects gets no second request", async () => {
  server.answer("/c/b", { kind: "silence" });
  const stop = new AbortController();
  const waiting = openBlob({ ...blobRequest({ account: "acct1" }), signal: stop.signal });
  setTimeout(() => {
    stop.abort(new Error("stopped by us"));
  }, 50);
  await expect(waiting).rejects.toThrow("stopped by us");
  server.answer("/c/b", { kind: "redirect", to: "/stolen", status: 307 });
  expect(await openBlob(blobRequest({ account: "acct1" }))).toMatchObject({ kind: "failed", retry: "never" });
  expect(asked().map(({ path }) => path)).toEqual(["/c/b", "/c/b"]);
});

describe("a blob that the managed identity reads", () => {
  let storage: Server;
  let certificate = "";
  let identity: IdentityEndpoint;
  let answer: { readonly status: number; readonly body?: string } = { status: 200 };
  const authorizations: (string | undefined)[] = [];
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "capz-tls-"));
    const files = [join(folder, "key.pem"), join(folder, "cert.pem")] as const;
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
        ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files[0], "-out", files[1]],
      ],
      { stdio: "ignore" },
    );
    certificate = readFileSync(files[1], "utf8");
    // The client sends a token over TLS alone.
    storage = createSecureServer({ key: readFileSync(files[0]), cert: certificate }, (request, response) => {
      authorizations.push(request.headers.authorization);
      request.resume();
      const length = String(answer.body?.length ?? 0);
      response.writeHead(answer.status, { etag: '"1"', "content-length": length }).end(answer.body);
    });
    await new Promise<void>((resolve) => storage.listen(0, "127.0.0.1", resolve));
    identity = await startIdentityEndpoint();
  });
  afterAll(async () => {
    storage.closeAllConnections();
    storage.close();
    await identity.close();
  });
  afterEach(() => {
    authorizations.length = 0;
  });

  /** Plain requests do not know the server's certificate: what they would have got is told here. */
  function given(account: string | undefined, plain = 404) {
    const base = blobRequest({ storage: { kind: "managed-identity" } });
    const plainly: number[] = [];
    const fetch = () => {
      plainly.push(plain);
      return Promise.resolve(new Response(plain === 200 ? "public" : null, { status: plain }));
    };
    const request = {
      ...base,
      host: { ...base.host, fetch: fetch as typeof globalThis.fetch },
      url: new URL(`https://127.0.0.1:${String(addressOf(storage.address()).port)}/c/b`),
      remote: {
        storageAccountOf: () => account,
        storageCertificate: certificate,
        identityEndpoint: identity.url,
      },
    };
    return { request, plainly, tokens: identity.requests.length };
  }

  it("carries its token, and its bytes arrive", async () => {
    identity.answer(tokenAnswer("token-1"));
    answer = { status: 200, body: "private" };
    const opened = await openBlob(given("acct1").request);
    expect(opened.kind === "open" ? await textOf(opened.body) : opened).toBe("private");
    expect(authorizations).toEqual(["Bearer token-1"]);
    answer = { status: 201 };
    expect(await uploadBlob(given("acct1").request, Buffer.from("x"), "text/plain")).toEqual({ kind: "uploaded" });
    expect(authorizations).toEqual(["Bearer token-1", "Bearer token-1"]);
  });

  it("is no reason to ask for a token for a host that is no storage", async () => {
    answer = { status: 200, body: "x" };
    const { request, tokens } = given(undefined);
    expect((await openBlob(request)).kind).toBe("open");
    expect([authorizations, identity.requests.length - tokens]).toEqual([[undefined], 0]);
  });

  it.each([
    [403, "identityDenied", "never"],
    [404, "downloadNotFound", "never"],
    [503, "downloadFailed", "yes"],
  ])("and that is answered with %d is told as %s", async (code, id, retry) => {
    identity.answer(tokenAnswer("token-1"));
    answer = { status: code };
    expect(await openBlob(given("acct1").request)).toMatchObject({ kind: "failed", id, retry });
  });

  it("without a right to a token is an error of its own; of an upload a reason", async () => {
    identity.answer({ status: 403, body: {} });
    const { request } = given("acct1");
    await expect(openBlob(request)).rejects.toMatchObject({ id: "identityDenied" });
    expect(await uploadBlob(request, Buffer.from("x"), "text/plain")).toEqual({
      kind: "failed",
      reason: "No token for the managed identity: the identity endpoint answered 403",
    });
    expect(authorizations).toEqual([]);
  });

  it.each([
    ["a public one needs no token", 200, ["open", "open"], [200, 200], 0],
    ["one that is denied plainly is asked for with a token, then and from then on", 404, ["open", "open"], [404], 2],
    ["a server that is busy is asked plainly again", 503, ["failed", "failed"], [503, 503], 0],
  ])("is asked for plainly first: %s", async (...[, plain, kinds, asked, withToken]) => {
    identity.answer(tokenAnswer("token-1"));
    answer = { status: 200, body: "private" };
    const { request, plainly } = given("acct1", plain);
    const open = remoteTransfer(request, request.url);
    const found = [await open(request.signal), await open(request.signal)];
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
    expect([plainly, authorizations]).toEqual([asked, Array.from({ length: withToken }, () => "Bearer token-1")]);
  });

  it("is asked for plainly where the settings name no identity, or an account that is not its own", async () => {
    for (const kept of [{ kind: "anonymous" }, { ...accountKey, account: "acct2" }] as const) {
      const { request, plainly } = given("acct1", 200);
      const own = { ...request, settings: { ...request.settings, storage: kept } };
      expect((await remoteTransfer(own, own.url)(own.signal)).kind).toBe("open");
      expect([plainly, authorizations]).toEqual([[200], []]);
    }
  });

  it("with the account's own key is asked for with it at once", async () => {
    answer = { status: 200, body: "private" };
    const { request, plainly } = given("acct1", 200);
    const own = { ...request, settings: { ...request.settings, storage: accountKey } };
    expect((await remoteTransfer(own, own.url)(own.signal)).kind).toBe("open");
    expect([plainly, authorizations.map((text) => text?.replace(/:.*/u, ""))]).toEqual([[], ["SharedKey acct1"]]);
  });

  it("is not read from a server whose certificate nobody vouches for", async () => {
    identity.answer(tokenAnswer("token-1"));
    const { request } = given("acct1");
    const { storageAccountOf, identityEndpoint } = request.remote;
    const opened = await openBlob({ ...request, remote: { storageAccountOf, identityEndpoint } });
    expect(opened).toMatchObject({ kind: "failed", retry: "few", reason: expect.stringContaining("SELF_SIGNED") });
    expect(authorizations).toEqual([]);
  });
});

describe("a blob through a proxy", () => {
  const seen: { readonly url: string | undefined; readonly user: string | undefined }[] = [];
  const proxy = createServer((request, response) => {
    seen.push({ url: request.url, user: request.headers["proxy-authorization"] });
    response.writeHead(200, { etag: '"1"', "content-length": "3" }).end("hop");
  });
  beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  afterEach(() => {
    seen.length = 0;
  });
  const port = () => String(addressOf(proxy.address()).port);

  it.each([
    ["without a user", "", undefined],
    [
      "with a user and a password, decoded",
      "me%40home:p%3Aw@",
      `Basic ${Buffer.from("me@home:p:w").toString("base64")}`,
    ],
  ])("%s", async (_, user, authorization) => {
    const request = blobRequest({ url: "http://files.invalid/c/b", proxy: `http://${user}127.0.0.1:${port()}` });
    expect((await openBlob(request)).kind).toBe("open");
    expect(seen).toEqual([{ url: "http://files.invalid/c/b", user: authorization }]);
  });
});

describe("a plain address", () => {
  it.each([
    [
      "?se=2020-01-01T08%3A00%3A00Z&sig=x",
      /^its SAS token expired at 2020-01-01T08:00:00Z; the server answered 403$/u,
      "Write an address with a new SAS token",
    ],
    ["?se=2999-01-01&sig=x", /^the server answered 403$/u, "Check the SAS token's permissions"],
    ["?sig=x", /^the server answered 403$/u, "Check the SAS token's permissions"],
    ["", /^the server answered 403$/u, "Give the address a SAS token"],
  ])("that is refused says why, as far as the address tells: %j", async (query, reason, hint) => {
    const base = blobRequest({});
    const host = { ...base.host, fetch: () => Promise.resolve(new Response(null, { status: 403 })) };
    const settings = { ...base.settings, storage: { kind: "anonymous" } as const };
    const opened = await remoteTransfer({ settings, host }, new URL(`https://files.example/a.sh${query}`))(base.signal);
    expect(opened).toMatchObject({ reason: expect.stringMatching(reason), hint: expect.stringContaining(hint) });
  });

  it("that is a blob's over http is refused with the reason why key and token were not sent", async () => {
    const base = blobRequest({});
    const transfer = (code: number, storage: StorageAccess) =>
      remoteTransfer(
        {
          settings: { ...base.settings, storage },
          host: { ...base.host, fetch: () => Promise.resolve(new Response(null, { status: code })) },
        },
        new URL("http://acct1.blob.core.windows.net/c/b"),
      )(base.signal);
    expect(await transfer(403, accountKey)).toMatchObject({
      reason: "the server answered 403; the storage key or identity was not sent, because the address is http",
      hint: expect.stringContaining("https"),
    });
    expect(await transfer(503, accountKey)).toMatchObject({ hint: expect.stringContaining("Look at the server") });
    expect(await transfer(403, { kind: "anonymous" })).toMatchObject({
      reason: "the server answered 403",
      hint: expect.stringContaining("Give the address a SAS token"),
    });
    expect((await transfer(200, accountKey)).kind).toBe("open");
  });

  it.each(["http://files.example/c/b", "https://files.example/a", "https://acct1.blob.core.windows.net:8443/c/b"])(
    "that is no blob's gets no advice about key and token: %s",
    async (url) => {
      const base = blobRequest({});
      const host = { ...base.host, fetch: () => Promise.resolve(new Response(null, { status: 403 })) };
      const opened = await remoteTransfer({ settings: base.settings, host }, new URL(url))(base.signal);
      expect(opened).toEqual({
        kind: "failed",
        id: "downloadDenied",
        reason: "the server answered 403",
        retry: "never",
      });
    },
  );

  it("with a SAS, or of another account, is asked for plainly", async () => {
    server.answer("/c/b", { kind: "send", body: "plain" });
    for (const [url, account] of [
      ["?sig=abc", "acct1"],
      ["", "acct2"],
    ] as const) {
      const request = blobRequest({ account, url: `${server.origin}/c/b${url}` });
      expect((await remoteTransfer(request, request.url)(request.signal)).kind).toBe("open");
    }
    expect(asked().map(({ headers }) => [headers["user-agent"], headers.authorization])).toEqual([
      ["capz-bootstrap", undefined],
      ["capz-bootstrap", undefined],
    ]);
  });
});

describe("upload", () => {
  const put = (more: Partial<UploadRequest> = {}, path = "/report.zip") => {
    const { host, settings, signal } = blobRequest({ storage: { kind: "anonymous" } });
    const url = new URL(`${server.origin}${path}`);
    return upload(
      { host, settings, signal, url, method: "PUT", authorization: undefined, ...more },
      Buffer.from("bytes"),
      "application/zip",
    );
  };

  it("puts bytes where it is told, which is where they lie", async () => {
    server.answer("/report.zip", status(201, { location: "/elsewhere" }));
    expect(await put()).toEqual({ kind: "uploaded", location: `${server.origin}/report.zip` });
    expect(asked()[0]?.headers).toMatchObject({ "content-type": "application/zip", "content-length": "5" });
    expect(asked()[0]?.headers.authorization).toBeUndefined();
  });

  it("carries the authorization of the settings, which wins over a user in the address", async () => {
    server.answer("/report.zip", status(201));
    const withUser = new URL(`http://me:pw@127.0.0.1:${String(server.port)}/report.zip`);
    await put({ url: withUser });
    await put({ url: withUser, authorization: new Secret("Bearer abc") });
    expect(asked().map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from("me:pw").toString("base64")}`,
      "Bearer abc",
    ]);
  });

  it.each([
    ["/reports/7", "/reports/7"],
    ["https://elsewhere.example/7", undefined],
    [`/${"x".repeat(2000)}`, undefined],
    [undefined, undefined],
  ])("of a post lies where the server says, if that is its own: %s", async (location, path) => {
    server.answer("/in", status(201, location === undefined ? {} : { location }));
    const result = await put({ method: "POST" }, "/in");
    expect(result).toEqual({
      kind: "uploaded",
      ...(path === undefined ? {} : { location: `${server.origin}${path}` }),
    });
  });

  it.each([307, 404, 500])("that is answered with %d has failed, and is sent nowhere else", async (code) => {
    server.answer("/report.zip", code === 307 ? { kind: "redirect", to: "/stolen", status: 307 } : status(code));
    expect(await put()).toEqual({ kind: "failed", reason: `the server answered ${String(code)}` });
    expect(asked()).toHaveLength(1);
  });

  it("to storage goes by its own client", async () => {
    server.answer("/c/report", status(201));
    const remote = { storageAccountOf: () => "acct1" };
    expect(await put({ remote }, "/c/report")).toEqual({ kind: "uploaded", location: `${server.origin}/c/report` });
    expect(asked()[0]?.headers).toMatchObject({
      "x-ms-blob-type": "BlockBlob",
      "x-ms-blob-content-type": "application/zip",
    });
    server.answer("/c/report", status(403));
    expect(await put({ remote }, "/c/report")).toEqual({ kind: "failed", reason: "the server answered 403" });
  });

  it.each([204, 201])("that is answered with %d is done", async (code) => {
    server.answer("/report.zip", status(code));
    expect((await put()).kind).toBe("uploaded");
  });

  it("is told where its post lies up to a thousand characters", async () => {
    for (const [length, isTold] of [
      [1000, true],
      [1001, false],
    ] as const) {
      const location = `/${"x".repeat(length - server.origin.length - 1)}`;
      server.answer("/in", status(201, { location }));
      expect(await put({ method: "POST" }, "/in")).toEqual({
        kind: "uploaded",
        ...(isTold ? { location: `${server.origin}${location}` } : {}),
      });
    }
  });

  it("goes through the proxy of the settings and leaves none behind; one that is gone is a failure", async () => {
    server.answer("/report.zip", status(201));
    const gone = await startHttpServer();
    await gone.close();
    const { settings } = blobRequest({ storage: { kind: "anonymous" }, proxy: gone.origin });
    expect(await put({ settings })).toEqual({ kind: "failed", reason: expect.stringContaining("ECONNREFUSED") });
    expect(await put()).toMatchObject({ kind: "uploaded" });
  });

  it("with a SAS goes by storage's own client, without any key", async () => {
    server.answer("/c/report", status(201));
    expect(await put({}, "/c/report?sig=abc")).toEqual({
      kind: "uploaded",
      location: `${server.origin}/c/report?sig=abc`,
    });
    expect(asked()[0]?.headers).toMatchObject({ "x-ms-blob-type": "BlockBlob" });
    expect(asked()[0]?.headers.authorization).toBeUndefined();
  });

  it("knows storage by its name or by a SAS", () => {
    expect(isAzureStorage(new URL("https://acct1.blob.core.windows.net/c/b"))).toBe(true);
    expect(isAzureStorage(new URL("https://files.example/c/b?sig=x"))).toBe(true);
    expect(isAzureStorage(new URL("https://files.example/c/b?signature=x"))).toBe(false);
  });
});
