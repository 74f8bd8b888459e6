import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { identityToken, type TokenRequest } from "../../../handler/transfer/identity-token.ts";
import { useProxy } from "../../../handler/transfer/use-proxy.ts";
import { Secret } from "../../../handler/settings/secret.ts";
import { checkHost, fastHost } from "../../support/check-host.ts";
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

test("identityToken() names a user-assigned identity by its object id", async () => {
  await ask([good], { identity: { kind: "managed-identity", objectId: "object-1" } });
  expect(endpoint.requests.at(-1)?.get("object_id")).toBe("object-1");
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
