import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { identityToken, type TokenRequest } from "../../../handler/transfer/identity-token.ts";
import { useProxy } from "../../../handler/transfer/use-proxy.ts";
import { Secret } from "../../../handler/settings/secret.ts";
import { checkHost, fastHost } from "../../support/check-host.ts";
import { listen } from "../../support/http-server.ts";
import {
  startIdentityEndpoint,
  tokenAnswer,
  type IdentityAnswer,
  type IdentityEndpoint,
} from "../../support/identity-endpoint.ts";

let endpoint: IdentityEndpoint;
let before = 0;
beforeAll(async () => {
  endpoint = await startIdentityEndpoint();
});
afterAll(() => endpoint.close());
beforeEach(() => {
  before = endpoint.requests.length;
});

const ask = (answers: readonly IdentityAnswer[], more: Partial<TokenRequest> = {}) => {
  endpoint.answer(...answers);
  return identityToken({
    host: fastHost(checkHost()),
    identity: { kind: "managed-identity" },
    signal: new AbortController().signal,
    seed: "vm-1",
    endpoint: endpoint.url,
    ...more,
  });
};
const tries = () => endpoint.requests.length - before;
const good = tokenAnswer("token-1");

test("identityToken() gives the token and when it ends", async () => {
  expect(await ask([good])).toEqual({ token: "token-1", expiresOnTimestamp: expect.any(Number) });
});

test.each([
  [{ access_token: "t", expires_on: "1790000000" }, 1_790_000_000_000],
  [{ access_token: "t", expires_on: 1790000000 }, 1_790_000_000_000],
  [{ access_token: "t" }, 1_700_000_300_000],
  [{ access_token: "t", expires_on: "0" }, 1_700_000_300_000],
  [{ access_token: "t", expires_on: "soon" }, 1_700_000_300_000],
])("a token ends when the endpoint says, else after five minutes: %j", async (body, expiresOnTimestamp) => {
  const host = { ...fastHost(checkHost()), now: () => new Date(1_700_000_000_000) };
  expect(await ask([{ status: 200, body }], { host })).toEqual({ token: "t", expiresOnTimestamp });
});

test("identityToken() asks for storage, and names no identity unless the settings do", async () => {
  await ask([good]);
  expect(Object.fromEntries(endpoint.requests.at(-1) ?? [])).toEqual({
    "api-version": "2018-02-01",
    resource: "https://storage.azure.com/",
  });
});

/** A clock that a test's pauses alone move. */
function steppedHost() {
  const host = checkHost();
  const pauses: number[] = [];
  // The machine has been running for a while.
  const monotonicMs = () => pauses.reduce((sum, ms) => sum + ms, 500_000);
  const sleep = (ms: number) => {
    pauses.push(ms);
    return Promise.resolve();
  };
  return { host: { ...host, monotonicMs, sleep }, pauses };
}

test("identityToken() waits as long as the endpoint asks for, up to its own limit", async () => {
  const { host, pauses } = steppedHost();
  const busy = { status: 429, body: {}, headers: { "retry-after": "20" } };
  expect(await ask([busy, busy, good], { host })).toMatchObject({ token: "token-1" });
  expect(pauses).toEqual([20_000, 20_000]);
  const later = steppedHost();
  await expect(ask([{ ...busy, headers: { "retry-after": "75" } }], { host: later.host })).rejects.toThrow(
    "answered 429",
  );
  expect(later.pauses).toEqual([]);
});

test("an update of the endpoint is waited for through 75 s, and no longer", async () => {
  const { host, pauses } = steppedHost();
  await expect(ask([{ status: 410, body: {} }], { host })).rejects.toMatchObject({ id: "identityFailed" });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(40_000);
  expect(waited).toBeLessThan(75_000);
  expect(pauses.length).toBeGreaterThan(4);
});

test("an endpoint that breaks off in the middle of its answer is asked four times", async () => {
  let requests = 0;
  const broken = await listen((_, response) => {
    requests += 1;
    response.writeHead(200, { "content-length": "1000" });
    response.write("{", () => response.destroy());
  });
  const { host, pauses } = steppedHost();
  await expect(ask([], { host, endpoint: broken.origin })).rejects.toMatchObject({
    id: "identityFailed",
    message: expect.stringContaining("The identity endpoint cannot be reached: aborted"),
  });
  expect([requests, pauses.length]).toEqual([4, 3]);
  await broken.close();
});

test("who stops meanwhile gets no further try", async () => {
  const stop = new AbortController();
  const { host, pauses } = steppedHost();
  const sleep = () => {
    stop.abort();
    return host.sleep(1);
  };
  await expect(
    ask([{ status: 500, body: {} }], { host: { ...host, sleep }, signal: stop.signal }),
  ).rejects.toMatchObject({ id: "identityFailed" });
  expect(pauses).toHaveLength(1);
  expect(tries()).toBe(1);
});

test.each([
  [{ error: "two words" }, "answered 401"],
  [{ error: "x".repeat(61) }, "answered 401"],
  [{ error: 7 }, "answered 401"],
  [["error"], "answered 401"],
  [{ error: "invalid_client" }, "answered 401 (invalid_client)"],
])("of the endpoint's words a short code alone is told: %j", async (body, end) => {
  await expect(ask([{ status: 401, body }])).rejects.toMatchObject({
    id: "identityDenied",
    message: `No token for the managed identity: the identity endpoint ${end}`,
  });
});

test.each([
  ["a token behind more than anybody reads", { filler: "x".repeat(200_000), access_token: "t" }],
  ["a token that is no text", { access_token: 7 }],
  ["a list", ["access_token"]],
  ["a text", "access_token"],
])("identityToken() refuses %s", async (_, body) => {
  await expect(ask([{ status: 200, body }])).rejects.toThrow("answered without an access_token");
});

test.each([
  ["objectId", "object_id"],
  ["clientId", "client_id"],
])("identityToken() names a user-assigned identity by its %s", async (setting, parameter) => {
  await ask([good], { identity: { kind: "managed-identity", [setting]: "id-1" } });
  const asked = Object.fromEntries(endpoint.requests.at(-1) ?? []);
  expect(asked).toEqual({ "api-version": "2018-02-01", resource: "https://storage.azure.com/", [parameter]: "id-1" });
});

test.each([
  ["null", 200, "The identity endpoint answered without an access_token"],
  ["<html>", 200, "The identity endpoint answered without an access_token"],
  ["", 200, "The identity endpoint answered without an access_token"],
  ["null", 403, "No token for the managed identity: the identity endpoint answered 403"],
  ["<html>", 403, "No token for the managed identity: the identity endpoint answered 403"],
])("an endpoint that says %j with %d gives no token", async (body, code, message) => {
  const odd = await listen((_, response) => response.writeHead(code).end(body));
  await expect(ask([], { endpoint: odd.origin })).rejects.toMatchObject({ message });
  await odd.close();
});

test.each([404, 410, 429, 500, 503])(
  "identityToken() asks again after %d, as Azure's guidance says",
  async (status) => {
    expect(await ask([{ status, body: {} }, good])).toMatchObject({ token: "token-1" });
    expect(tries()).toBe(2);
  },
);

test("identityToken() keeps asking through an update of the endpoint (410) for more than a minute", async () => {
  await expect(ask([{ status: 410, body: {} }])).rejects.toMatchObject({ id: "identityFailed" });
  expect(tries()).toBeGreaterThanOrEqual(5);
});

test.each([
  [400, "identityNotFound", 1],
  [403, "identityDenied", 1],
  [404, "identityNotFound", 5],
  [500, "identityFailed", 5],
])("identityToken() turns a lasting %d into %s after %d tries", async (status, id, count) => {
  const body = { error: "invalid_request", error_description: "Identity not found" };
  await expect(ask([{ status, body }])).rejects.toMatchObject({
    id,
    message: expect.stringContaining("(invalid_request)"),
  });
  expect(tries()).toBe(count);
});

test("identityToken() refuses an answer without a token", async () => {
  await expect(ask([{ status: 200, body: { access_token: "" } }])).rejects.toMatchObject({ id: "identityFailed" });
});

test("an unreachable endpoint is a failure with its reason", async () => {
  const closed = await startIdentityEndpoint();
  await closed.close();
  await expect(ask([], { endpoint: closed.url })).rejects.toMatchObject({
    id: "identityFailed",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("the endpoint is asked directly although a proxy is in use", async () => {
  const restore = useProxy(new Secret("http://127.0.0.1:9"), {});
  try {
    expect(await ask([good])).toMatchObject({ token: "token-1" });
  } finally {
    restore();
  }
});

test("the environment may name the endpoint below a scratch root only", async () => {
  const host = fastHost(checkHost());
  const env = { CAPZ_BOOTSTRAP_IDENTITY_ENDPOINT: endpoint.url };
  endpoint.answer(good);
  const request = { identity: { kind: "managed-identity" as const }, signal: new AbortController().signal, seed: "s" };
  expect(await identityToken({ ...request, host: { ...host, env } })).toMatchObject({ token: "token-1" });
  const stop = new AbortController();
  stop.abort();
  await expect(
    identityToken({ ...request, host: { ...host, env, root: "/" }, signal: stop.signal }),
  ).rejects.toMatchObject({
    id: "identityFailed",
  });
  expect(tries()).toBe(1);
});
