import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { useProxy } from "../../../handler/transfer/use-proxy.ts";
import { httpTransfer } from "../../../handler/transfer/http-transfer.ts";
import { Secret } from "../../../handler/settings/secret.ts";
import { checkHost } from "../../support/check-host.ts";
import { addressOf, ok, startHttpServer, type TestServer } from "../../support/http-server.ts";

let target: TestServer;
let proxy: Server;
let address = "";
const seen: { readonly to: string; readonly authorization: string | undefined }[] = [];

beforeAll(async () => {
  target = await startHttpServer();
  target.answer("/file", ok("through"));
  // A real CONNECT proxy: opens a connection to where it is told and passes bytes.
  proxy = createServer();
  proxy.on("connect", (request, client, head) => {
    seen.push({ to: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    const upstream = connect(target.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${String(addressOf(proxy.address()).port)}`;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await target.close();
});
beforeEach(() => {
  seen.length = 0;
});

async function get(url: string): Promise<string> {
  const opened = await httpTransfer(checkHost(), new URL(url))(AbortSignal.timeout(5000));
  if (opened.kind === "failed") throw new Error(opened.reason);
  const chunks: Uint8Array[] = [];
  for await (const chunk of opened.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("with the setting proxy a download goes through the proxy, with its user and password", async () => {
  const restore = useProxy(new Secret(`http://user:pass@${address}`), {});
  try {
    // Only the proxy knows this name: a direct request would fail.
    expect(await get("http://files.invalid/file")).toBe("through");
  } finally {
    restore();
  }
  expect(seen).toEqual([
    { to: "files.invalid:80", authorization: `Basic ${Buffer.from("user:pass").toString("base64")}` },
  ]);
});

test("after it is restored, and for names in NO_PROXY, downloads go directly", async () => {
  const restore = useProxy(new Secret(`http://${address}`), { NO_PROXY: "127.0.0.1" });
  try {
    expect(await get(`${target.origin}/file`)).toBe("through");
  } finally {
    restore();
  }
  expect(await get(`${target.origin}/file`)).toBe("through");
  expect(seen).toEqual([]);
});

test("without the setting nothing changes", async () => {
  useProxy(undefined, {})();
  expect(await get(`${target.origin}/file`)).toBe("through");
  expect(seen).toEqual([]);
});
