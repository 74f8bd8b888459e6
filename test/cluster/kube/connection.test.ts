import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, inClusterFiles } from "../../../cluster/kube/connection.ts";
import { request } from "../../../cluster/kube/request.ts";
import { watchOnce } from "../../../cluster/kube/watch.ts";
import { addressOf } from "../../support/http-server.ts";

let folder: string;
let server: Server;
let origin: string;
let good: string;
let seen: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "connection-"));
  seen = [];
  good = "one";
  server = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    const isGood = headers.authorization === `Bearer ${good}`;
    response.writeHead(isGood ? 200 : 401, { "content-type": "application/json" });
    response.end(isGood ? '{"ok":true}\n' : '{"kind":"Status","code":401,"reason":"Unauthorized"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${String(addressOf(server.address()).port)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

async function connection() {
  let now = 0;
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "one\n");
  const made = await connect({ server: origin, tokenFile }, { monotonicMs: () => now });
  return {
    made,
    rotate: (token: string) => {
      writeFileSync(tokenFile, `${token}\n`);
    },
    pass: (ms: number) => (now += ms),
  };
}

const get = (made: Awaited<ReturnType<typeof connection>>["made"]) => request(made, { method: "GET", path: "/apis" });

describe("the token of the API server", () => {
  test("is read anew a minute later, and not for each request", async () => {
    const { made, rotate, pass } = await connection();
    await get(made);
    rotate("two");
    pass(59_000);
    await get(made);
    good = "two";
    pass(2_000);
    await get(made);
    expect(seen).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  test("is read anew at once after it was refused, by a request and by a watch", async () => {
    const { made, rotate } = await connection();
    await get(made);
    rotate("two");
    good = "two";
    await expect(get(made)).rejects.toThrow("GET /apis: 401 Unauthorized");
    await expect(get(made)).resolves.toEqual({ ok: true });
    rotate("three");
    good = "three";
    const watch = () =>
      watchOnce(
        made,
        { group: "g", version: "v1", plural: "things", kind: "Thing" },
        {
          resourceVersion: "1",
          timeoutSeconds: 1,
          guardMs: 100,
          signal: new AbortController().signal,
          onOpen: () => undefined,
          onEvent: () => undefined,
        },
      );
    expect(await watch()).toMatchObject({ kind: "failed", why: expect.stringContaining("401") });
    await watch();
    expect(seen.at(-1)).toBe("Bearer three");
    expect(JSON.stringify(await watch())).not.toContain("three");
  });

  test("is named with its file and its purpose where it cannot be read", async () => {
    const { made } = await connection();
    rmSync(join(folder, "token"));
    await expect(get(made)).rejects.toThrow(/The token for the API server cannot be read: (?:Error: )?ENOENT.*token/u);
    await expect(connect({ server: origin, caFile: join(folder, "ca.crt") }, { monotonicMs: () => 0 })).rejects.toThrow(
      /The certificate authority of the API server cannot be read: (?:Error: )?ENOENT.*ca\.crt/u,
    );
  });
});

describe("inClusterFiles", () => {
  test("knows a Pod by its environment, with IPv4 and IPv6", () => {
    expect(inClusterFiles({ KUBERNETES_SERVICE_HOST: "10.0.0.1" })?.server).toBe("https://10.0.0.1:443");
    expect(inClusterFiles({ KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" })?.server).toBe(
      "https://[fd00::1]:6443",
    );
    expect(inClusterFiles({})).toBeUndefined();
    expect(inClusterFiles({ KUBERNETES_SERVICE_HOST: "" })).toBeUndefined();
  });
});
