import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readBundle, readFromFolder } from "../../handler/check/obtain/read-bundle.ts";
import { verifyTrust } from "../../handler/check/obtain/trust.ts";
import { buildCheck, describeBundle } from "../../publish/check-bundle.ts";
import { keyIdOf, signBundle, writeBundle } from "../../scripts/dev/build-bundle.ts";

test("writeBundle() leaves a bundle that the handler reads, the same bytes each time", async () => {
  const folders = [1, 2].map(() => join(mkdtempSync(join(tmpdir(), "capz-bundle-")), "bundle"));
  const texts = await Promise.all(folders.map(writeBundle));
  expect(texts[0]).toBe(texts[1]);
  const [folder = ""] = folders;
  expect(readdirSync(folder).sort()).toEqual(["bundle.json", "check.cjs", "rules.json"]);
  const bundle = await readBundle(readFromFolder(folder), "the test", { accept: () => Promise.resolve() });
  expect(bundle.manifest).toMatchObject({ protocol: 2, minimumHandlerVersion: "2.0.0" });
  expect(bundle.manifest.files.map(({ name }) => name)).toEqual(["check.cjs", "rules.json"]);
});

test("check.cjs is readable and asks for no module of Node", async () => {
  const text = (await buildCheck()).toString("utf8");
  expect(text).toContain("function* ");
  expect(text).not.toMatch(/\brequire\(/u);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(2000);
});

test("a bundle whose check is a script speaks protocol 1", () => {
  const files = [
    { name: "rules.json", content: Buffer.from("{}") },
    { name: "check.sh", content: readFileSync("/dev/null") },
  ];
  const versions = { version: "1.0.0", minimumHandlerVersion: "1.0.0" };
  expect(JSON.parse(describeBundle(files, versions))).toMatchObject({
    ...versions,
    protocol: 1,
    files: [{ name: "check.sh", size: 0 }, { name: "rules.json" }],
  });
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
