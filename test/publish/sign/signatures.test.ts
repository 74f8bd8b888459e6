import { beforeAll, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { appendFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signBundle, verifyBundleSignature } from "../../../publish/sign/bundle-signature.ts";
import { signPackage, verifyPackageSignature } from "../../../publish/sign/package-signature.ts";
import { runTool } from "../../../publish/run-tool.ts";
import { signProgram } from "../../../publish/sign/program-signature.ts";
import { obtainRuntime } from "../../../publish/base-node.ts";
import { readRuntimePins } from "../../../publish/runtime-pins.ts";
import { makeTestSigner, type TestSigner } from "../../support/test-signer.ts";

let signer: TestSigner;
let folder = "";

beforeAll(async () => {
  signer = await makeTestSigner();
  folder = await mkdtemp(join(tmpdir(), "capz-sign-"));
});

test("a package's signature is valid under the root of its signer and under no other", async () => {
  const path = join(folder, "package.zip");
  await writeFile(path, "PK any bytes \r\n of a zip \n");
  await signPackage(path, `${path}.sig`, signer);
  expect(await verifyPackageSignature(path, `${path}.sig`, signer.root)).toEqual({ kind: "valid" });
  const stranger = await makeTestSigner();
  expect(await verifyPackageSignature(path, `${path}.sig`, stranger.root)).toMatchObject({ kind: "invalid" });
});

test("one more byte in the package makes its signature invalid", async () => {
  const path = join(folder, "changed.zip");
  await writeFile(path, "PK");
  await signPackage(path, `${path}.sig`, signer);
  await appendFile(path, "x");
  expect(await verifyPackageSignature(path, `${path}.sig`, signer.root)).toMatchObject({ kind: "invalid" });
});

async function bundleWithKey(): Promise<{ readonly bundle: string; readonly key: string; readonly trusted: string }> {
  const bundle = await mkdtemp(join(folder, "bundle-"));
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [key, trusted] = [join(bundle, "key.pem"), join(bundle, "trusted-keys.json")];
  await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(
    trusted,
    JSON.stringify([{ keyId: "2026", publicKey: publicKey.export({ type: "spki", format: "pem" }) }]),
  );
  await writeFile(join(bundle, "bundle.json"), '{"version":"1.1.0"}\n');
  return { bundle, key, trusted };
}

test("a signed bundle is accepted by the key that signed it, until a byte changes", async () => {
  const { bundle, key, trusted } = await bundleWithKey();
  await signBundle(bundle, { id: "2026", file: key });
  expect(await verifyBundleSignature(bundle, trusted)).toBe("2026");
  await appendFile(join(bundle, "bundle.json"), " ");
  await expect(verifyBundleSignature(bundle, trusted)).rejects.toThrow("does not fit bundle.json");
});

test("a bundle signed by a key that nobody trusts is refused by name", async () => {
  const { bundle, key, trusted } = await bundleWithKey();
  await signBundle(bundle, { id: "someone", file: key });
  await expect(verifyBundleSignature(bundle, trusted)).rejects.toThrow('the key "someone"');
});

test("signBundle refuses a key of another kind", async () => {
  const { bundle } = await bundleWithKey();
  await expect(signBundle(bundle, { id: "rsa", file: signer.key })).rejects.toThrow("bundles are signed with Ed25519");
});

test("signProgram leaves the signature of node.exe alone", async () => {
  const pin = (await readRuntimePins()).find(({ name }) => name === "windows-x64");
  if (pin === undefined) throw new Error("no pin for Windows");
  const path = join(folder, "node.exe");
  await writeFile(path, await obtainRuntime(pin));
  await expect(signProgram(path, join(folder, "twice.exe"), signer)).rejects.toThrow("is signed already");
});

test("signProgram signs a program of our own so that a changed byte shows", async () => {
  const unsigned = join(folder, "own.exe");
  execFileSync("osslsigncode", ["remove-signature", "-in", join(folder, "node.exe"), "-out", unsigned], {
    stdio: "ignore",
  });
  const signed = join(folder, "own-signed.exe");
  await signProgram(unsigned, signed, signer);
  expect(await verifies(signed, signer.root)).toBe(true);
  const content = await readFile(signed);
  content.writeUInt8(content.readUInt8(70_000) ^ 1, 70_000);
  await writeFile(signed, content);
  expect(await verifies(signed, signer.root)).toBe(false);
});

/** Whether the program carries an intact signature that chains to `root`. */
async function verifies(path: string, root: string): Promise<boolean> {
  const { code } = await runTool("osslsigncode", ["verify", "-CAfile", root, path]);
  return code === 0;
}
