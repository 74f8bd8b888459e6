import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOf } from "../support/http-server.ts";
import { runCommand } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

/*
 * A network with one way out: a proxy that demands a password, and behind it servers whose certificates a private authority
 * signed, which only the system's store knows. The storage service here is a plain server that answers as one; what matters is by
 * which way it is reached. The real service is Azurite's part (test/handler/transfer/azure-storage.test.ts).
 */

const hosts = ["files.closed.test", "closedaccount.blob.core.windows.net"];
const password = `Basic ${Buffer.from("user:p@ss word").toString("base64")}`;

interface Seen {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

let origin: Server;
let proxy: Server;
let proxyAddress = "";
let authority = "";
const seen: Seen[] = [];
const refused: string[] = [];
let current: LifecycleMachine | undefined;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-closed-"));
  authority = join(folder, "ca.pem");
  const [ca, key, request, cert, names] = ["ca.key", "server.key", "server.csr", "server.pem", "names"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string];
  writeFileSync(names, `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}\n`);
  await runCommand(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Closed CA"].concat([
      ...["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", ca, "-out", authority],
    ]),
  );
  await runCommand([
    "openssl",
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=server",
    "-keyout",
    key,
    "-out",
    request,
  ]);
  await runCommand(
    ["openssl", "x509", "-req", "-in", request, "-CA", authority, "-CAkey", ca, "-CAcreateserial", "-days", "2"].concat(
      [...["-extfile", names, "-out", cert]],
    ),
  );
  origin = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (call, answer) => {
    const path = (call.url ?? "").split("?", 1)[0] ?? "";
    seen.push({
      host: call.headers.host ?? "",
      method: call.method ?? "",
      path,
      authorization: call.headers.authorization,
    });
    call.resume();
    // What the storage client insists on in an answer of the blob service.
    const headers = { etag: '"1"', "last-modified": new Date(0).toUTCString() };
    const script = Buffer.from(`#!/bin/sh\necho ran ${path}\n`);
    if (call.method === "PUT") answer.writeHead(201, headers).end();
    else if (path.endsWith(".sh")) answer.writeHead(200, { ...headers, "content-length": script.length }).end(script);
    else answer.writeHead(404).end();
  });
  const originPort = await listenOn(origin);
  proxy = createHttpServer((call, answer) => {
    refused.push(`plain request for ${call.url ?? ""}`);
    answer.writeHead(403).end();
  });
  proxy.on("connect", (call, client, head) => {
    const target = call.url ?? "";
    if (call.headers["proxy-authorization"] !== password || !hosts.some((host) => target === `${host}:443`)) {
      refused.push(target);
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
      return;
    }
    const upstream = connect(originPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  proxyAddress = `http://user:p%40ss%20word@127.0.0.1:${String(await listenOn(proxy))}`;
}, 300_000);

afterAll(() => {
  for (const server of [origin, proxy]) {
    server.closeAllConnections();
    server.close();
  }
});

afterEach(async () => {
  await current?.discard();
  current = undefined;
  seen.length = 0;
});

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return addressOf(server.address()).port;
}

const commandSettings = {
  publicSettings: {
    commandToExecute: "sh plain.sh; sh private.sh; exit 3",
    fileUris: `https://files.closed.test/plain.sh,https://closedaccount.blob.core.windows.net/c/private.sh`,
  },
  protectedSettings: {
    storageAccountName: "closedaccount",
    storageAccountKey: "a2V5IG9mIGEgY2xvc2VkIGFjY291bnQ=",
    reportUploadUri: "https://closedaccount.blob.core.windows.net/reports?sv=1&sig=c2ln",
  },
};

test.each([
  ["the setting proxy", { proxy: true }],
  ["the guest agent's variables", { proxy: false }],
])(
  "files, a private blob and the report go through %s, and trust the system's own authority",
  async (_, { proxy: set }) => {
    const made = (current = createLifecycleMachine());
    const { publicSettings, protectedSettings } = commandSettings;
    made.agent.putSettings(0, {
      publicSettings,
      protectedSettings: { ...protectedSettings, ...(set ? { proxy: proxyAddress } : {}) },
    });
    const env = { SSL_CERT_FILE: authority, ...(set ? {} : { HTTPS_PROXY: proxyAddress }) };
    await made.agent.run("install", 0, env);
    await made.agent.run("enable", 0, env);
    const status = await waitForStatus(made.agent, 0);
    expect(status.message).toContain("ran /plain.sh\nran /c/private.sh");
    await waitUntil("the report to arrive", () => seen.some(({ method }) => method === "PUT"));
    const [plain, blob] = seen;
    expect(plain).toMatchObject({ host: "files.closed.test", path: "/plain.sh", authorization: undefined });
    expect(blob?.authorization).toMatch(/^SharedKey closedaccount:/u);
    expect(seen.find(({ method }) => method === "PUT")?.path).toMatch(/^\/reports\//u);
    expect(refused).toEqual([]);
  },
);

test("a check bundle is asked for through the proxy, too", async () => {
  const made = (current = createLifecycleMachine());
  made.agent.putSettings(0, {
    publicSettings: { checkVersion: "9.9.9", checkSha256: "ab".repeat(32), checkRequired: "true" },
    protectedSettings: { proxy: proxyAddress, checkBaseUris: "https://files.closed.test/checks" },
  });
  await made.agent.run("install", 0, { SSL_CERT_FILE: authority });
  await made.agent.run("enable", 0, { SSL_CERT_FILE: authority });
  const status = await waitForStatus(made.agent, 0);
  expect(status.message).toContain("the server answered 404");
  expect(seen.some(({ path }) => path.startsWith("/checks/"))).toBe(true);
  expect(refused).toEqual([]);
});
