import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openBlob, uploadBlob } from "../../../handler/transfer/azure-storage.ts";
import { remoteTransfer } from "../../../handler/transfer/remote-transfer.ts";
import { obtainCheck } from "../../../handler/check/obtain/obtain-check.ts";
import { parseFileUri } from "../../../handler/settings/file-uri.ts";
import { Secret } from "../../../handler/settings/secret.ts";
import type { StorageAccess } from "../../../handler/settings/settings.ts";
import { azuriteAccount, azuriteHookMs, azuriteKey, startAzurite, type Azurite } from "../../support/azurite.ts";
import { checkHost, commandSettings, fastHost } from "../../support/check-host.ts";
import { startHttpServer, type TestServer } from "../../support/http-server.ts";
import {
  startIdentityEndpoint,
  storageToken,
  tokenAnswer,
  type IdentityEndpoint,
} from "../../support/identity-endpoint.ts";

let azurite: Azurite;
let identity: IdentityEndpoint;
let other: TestServer;

beforeAll(async () => {
  [azurite, identity, other] = await Promise.all([startAzurite(), startIdentityEndpoint(), startHttpServer()]);
  await azurite.put("hello.sh", "#!/bin/sh\necho hello\n");
}, azuriteHookMs);
afterAll(async () => {
  await Promise.all([azurite.close(), identity.close(), other.close()]);
});

const accountKey: StorageAccess = { kind: "account-key", account: azuriteAccount, key: new Secret(azuriteKey) };
const managed: StorageAccess = { kind: "managed-identity", clientId: "11111111-2222-3333-4444-555555555555" };

function remote() {
  return {
    storageAccountOf: (url: URL) => (azurite.container.startsWith(url.origin) ? azuriteAccount : undefined),
    storageCertificate: azurite.certificate,
    identityEndpoint: identity.url,
  };
}

/** Downloads one file as a command's fileUris. A plain GET does not know the test's certificate, so it fails over to the key or token as a denied one does. */
async function obtain(storage: StorageAccess, url: string) {
  const base = checkHost();
  const refused = () => Promise.resolve(new Response(null, { status: 404 }));
  const host = { ...fastHost(base), fetch: url.startsWith("https:") ? refused : base.fetch };
  const check = await obtainCheck({
    host,
    workFolder: join(host.root, "work"),
    identity: { vmId: "vm-1", bootId: "boot-1" },
    handlerVersion: "1.0.0",
    deadline: { remainingMs: () => 600_000 },
    signal: new AbortController().signal,
    settings: {
      check: {
        ...commandSettings,
        command: { kind: "line", line: new Secret("true") },
        fileUris: [parseFileUri(url)],
      },
      storage,
      proxy: undefined,
    },
    remote: remote(),
  });
  if (check.kind !== "command") throw new Error("not a command");
  return readFileSync(check.files[0] ?? "", "utf8");
}

function blob(storage: StorageAccess, url: string) {
  const settings = {
    check: { kind: "bundle" as const, version: undefined, sha256: undefined, baseUris: [], required: false },
    storage,
    proxy: undefined,
  };
  return {
    host: fastHost(checkHost()),
    settings,
    remote: remote(),
    url: new URL(url),
    signal: new AbortController().signal,
  };
}

test("a private blob is read with the account key", async () => {
  expect(await obtain(accountKey, `${azurite.container}/hello.sh`)).toBe("#!/bin/sh\necho hello\n");
});

test("a private blob is read with the managed identity, named by its client id", async () => {
  identity.answer(tokenAnswer(storageToken()));
  expect(await obtain(managed, `${azurite.container}/hello.sh`)).toBe("#!/bin/sh\necho hello\n");
  const asked = identity.requests.at(-1);
  expect(Object.fromEntries(asked ?? [])).toEqual({
    "api-version": "2018-02-01",
    resource: "https://storage.azure.com/",
    client_id: "11111111-2222-3333-4444-555555555555",
  });
});

test("with a managed identity a blob is asked for plainly first, and a public one needs no token", async () => {
  identity.answer(tokenAnswer(storageToken()));
  const request = blob(managed, `${azurite.container}/hello.sh`);
  const asked = identity.requests.length;
  const answering = (response: Response) => ({
    ...request,
    host: { ...request.host, fetch: () => Promise.resolve(response) },
  });
  const open = remoteTransfer(answering(new Response("public")), request.url);
  expect((await open(request.signal)).kind).toBe("open");
  expect(identity.requests.length).toBe(asked);
  const refused = remoteTransfer(answering(new Response("", { status: 404 })), request.url);
  expect((await refused(request.signal)).kind).toBe("open");
  expect(identity.requests.length).toBe(asked + 1);
});

test("an identity without a role is told so", async () => {
  identity.answer(tokenAnswer(storageToken("https://vault.azure.net")));
  await expect(obtain(managed, `${azurite.container}/hello.sh`)).rejects.toMatchObject({ id: "identityDenied" });
});

test("an identity that the machine does not have is told so", async () => {
  identity.answer({ status: 400, body: { error: "invalid_request", error_description: "Identity not found" } });
  await expect(obtain(managed, `${azurite.container}/hello.sh`)).rejects.toMatchObject({ id: "identityNotFound" });
});

test("a blob that does not exist is not found", async () => {
  await expect(obtain(accountKey, `${azurite.container}/none.sh`)).rejects.toMatchObject({
    id: "downloadNotFound",
    message: expect.stringContaining("404 (BlobNotFound)"),
  });
});

test("an address outside storage never sees a token, nor does the identity endpoint hear of it", async () => {
  other.answer("/x.sh", { kind: "send", status: 401 });
  const before = identity.requests.length;
  await expect(obtain(managed, `${other.origin}/x.sh`)).rejects.toMatchObject({ id: "downloadDenied" });
  expect(other.requests.at(-1)?.headers.authorization).toBeUndefined();
  expect(identity.requests.length).toBe(before);
});

test("a storage server that redirects gets no second request with the key", async () => {
  other.answer("/c/b", { kind: "redirect", to: "/stolen", status: 307 });
  const request = blob(accountKey, `${other.origin}/c/b`);
  const opened = await openBlob({ ...request, remote: { ...request.remote, storageAccountOf: () => azuriteAccount } });
  expect(opened).toMatchObject({ kind: "failed", retry: "never" });
  expect(other.requests.map(({ path }) => path)).not.toContain("/stolen");
});

test("uploadBlob() writes with a SAS", async () => {
  const result = await uploadBlob(
    blob({ kind: "anonymous" }, `${azurite.container}/report.json?${azurite.sas("cw")}`),
    Buffer.from('{"verdict":"failed"}'),
    "application/json",
  );
  expect(result).toEqual({ kind: "uploaded" });
  expect(await azurite.get("report.json")).toBe('{"verdict":"failed"}');
});

test("uploadBlob() writes with the managed identity", async () => {
  identity.answer(tokenAnswer(storageToken()));
  const result = await uploadBlob(
    blob(managed, `${azurite.container}/by-identity.txt`),
    Buffer.from("text"),
    "text/plain",
  );
  expect(result).toEqual({ kind: "uploaded" });
  expect(await azurite.get("by-identity.txt")).toBe("text");
});

test("uploadBlob() says why it failed and never throws, without the SAS", async () => {
  const url = `${azurite.container}/report.json?${azurite.sas("r")}`;
  const result = await uploadBlob(blob({ kind: "anonymous" }, url), Buffer.from("x"), "text/plain");
  expect(result).toMatchObject({ kind: "failed", reason: expect.stringContaining("403") });
  expect(JSON.stringify(result)).not.toContain("sig");
  identity.answer({ status: 403, body: {} });
  const denied = await uploadBlob(blob(managed, `${azurite.container}/x`), Buffer.from("x"), "text/plain");
  expect(denied).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("No token for the managed identity"),
  });
});
