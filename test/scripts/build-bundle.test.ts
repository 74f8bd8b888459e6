import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parseManifest } from "../../handler/check/bundle.ts";
import { verifyTrust } from "../../handler/check/trust.ts";
import { buildBundle, keyIdOf, signBundle } from "../../scripts/dev/build-bundle.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "capz-bundle-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const files = { "check.sh": "exit 75\n", "check.ps1": "exit 75\r\n", "rules.json": "{}\n" };

test("buildBundle() gives the same bytes for the same files, and the handler reads them", async () => {
  const bundle = await buildBundle(folderWith(files));
  expect(await buildBundle(folderWith(files))).toBe(bundle);
  const manifest = parseManifest(Buffer.from(bundle), "the test");
  expect(manifest.files.map(({ name, size }) => [name, size])).toEqual([
    ["check.ps1", 9],
    ["check.sh", 8],
    ["rules.json", 3],
  ]);
});

test("buildBundle() refuses a folder without rules or without any check", async () => {
  await expect(buildBundle(folderWith({ "check.sh": "" }))).rejects.toThrow("rules.json");
  await expect(buildBundle(folderWith({ "rules.json": "{}" }))).rejects.toThrow("has no check");
});

test("a bundle for one system lists its check alone", async () => {
  const bundle = parseManifest(
    Buffer.from(await buildBundle(folderWith({ "check.sh": "", "rules.json": "{}" }))),
    "test",
  );
  expect(bundle.files.map(({ name }) => name)).toEqual(["check.sh", "rules.json"]);
});

test("signBundle() makes a signature that the handler accepts for exactly these bytes", () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
  const trust = { sha256: undefined, keys: [{ keyId: keyIdOf(pem), publicKey }] };
  const signature = Buffer.from(signBundle("{}", pem));
  const verify = (text: string) => {
    verifyTrust(Buffer.from(text), signature, { trust, source: "the test" });
  };
  expect(() => {
    verify("{}");
  }).not.toThrow();
  expect(() => {
    verify("{ }");
  }).toThrow("does not fit bundle.json");
});

test("signBundle() refuses a key of another kind", () => {
  const pem = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
  expect(() => signBundle("{}", pem.toString())).toThrow("not an Ed25519 key");
});

test("the committed bundle.json is the one that npm run bundle makes", async () => {
  const scripts = join(import.meta.dirname, "../../scripts");
  const committed = await readFile(join(scripts, "bundle.json"), "utf8");
  const fresh = await buildBundle(scripts);
  expect({ sha256: createHash("sha256").update(committed).digest("hex"), text: committed }).toEqual({
    sha256: createHash("sha256").update(fresh).digest("hex"),
    text: fresh,
  });
});
