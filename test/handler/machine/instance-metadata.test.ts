import { afterEach, beforeEach, expect, test } from "@jest/globals";
import http from "node:http";
import { askCompute } from "../../../handler/machine/instance-metadata.ts";
import { ok, startHttpServer, status, type TestServer } from "../../support/http-server.ts";

let server: TestServer;

beforeEach(async () => {
  server = await startHttpServer();
});

afterEach(async () => {
  await server.close();
});

const hostOf = (origin: string) => ({
  root: "/scratch",
  env: { CAPZ_BOOTSTRAP_METADATA_ENDPOINT: `${origin}/compute` },
});

test("the metadata service is asked directly where everything else goes through a proxy", async () => {
  server.answer("/compute", ok('{"name":"vm-1"}'));
  const own = http.globalAgent;
  const proxied: http.Agent = new http.Agent();
  proxied.createConnection = () => {
    throw new Error("went through the proxy");
  };
  http.globalAgent = proxied;
  try {
    expect(await askCompute(hostOf(server.origin))).toBe('{"name":"vm-1"}');
  } finally {
    http.globalAgent = own;
  }
  expect(server.requests.map(({ headers }) => headers["metadata"])).toEqual(["true"]);
});

test("an answer that is none of its documents, no answer and a signal give no text", async () => {
  server.answer("/compute", status(404));
  expect(await askCompute(hostOf(server.origin))).toBe("");
  expect(await askCompute(hostOf("http://127.0.0.1:9"))).toBe("");
  expect(await askCompute(hostOf(server.origin), AbortSignal.abort())).toBe("");
});

test("below a folder that only stands for a machine nobody is asked", async () => {
  expect(await askCompute({ root: "/scratch", env: {} })).toBe("");
});
