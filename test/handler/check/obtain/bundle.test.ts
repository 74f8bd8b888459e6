import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { cacheBundle, cachedSources } from "../../../../handler/check/obtain/bundle-cache.ts";
import { requireFit } from "../../../../handler/check/obtain/bundle-fit.ts";
import { parseManifest, verifyUndamaged, type Bundle } from "../../../../handler/check/obtain/bundle.ts";
import { placeBundle } from "../../../../handler/check/obtain/place-bundle.ts";
import { readFromFolder } from "../../../../handler/check/obtain/read-bundle.ts";
import { readTrustedKeys, verifyTrust } from "../../../../handler/check/obtain/trust.ts";
import { makeBundle, makeSigningKey, signManifest } from "../../../support/bundle-maker.ts";
import { checkHost } from "../../../support/check-host.ts";
import { openFilesBelow } from "../../../support/open-files.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const someFile = { name: "check.sh", sha256: digestOf("x"), size: 1 };
const manifestOf = (change: object) =>
  JSON.stringify({ version: "1.0.0", protocol: 1, minimumHandlerVersion: "1.0.0", files: [someFile], ...change });
const parsed = (text: string) => {
  try {
    return parseManifest(Buffer.from(text), "a test");
  } catch (error) {
    return String(error).replace(/^.*a test: /u, "");
  }
};
const withFile = (change: object) => manifestOf({ files: [{ ...someFile, ...change }] });
const noWatch = 'watch must list at most 8 folders such as "/var/lib/example-agent"';
const noName = "bundle.json lists a file whose name is not a plain file name";
const noSize = "the size of check.sh must be from 0 to 4194304 bytes";

test.each([
  ...["{", "[]", "null", '"x"'].map((text) => [text, "bundle.json is not a JSON object"]),
  ...["", "a b", "/1", "1/", "x".repeat(65), 1].map((version) => [
    manifestOf({ version }),
    "bundle.json names no version",
  ]),
  [manifestOf({ protocol: "1" }), "bundle.json names no protocol"],
  [manifestOf({ minimumHandlerVersion: 1 }), "bundle.json names no minimumHandlerVersion"],
  ...[[], Array(21).fill(someFile), { length: 1 }].map((files) => [
    manifestOf({ files }),
    "bundle.json must list 1 to 20 files",
  ]),
  [manifestOf({ files: [5] }), "bundle.json lists something that is not a file"],
  ...["../x", "a/b", "a\\b", ".x", "", "x.", "-x", "_x", "ä", "a b", "x".repeat(65), 5].map((name) => [
    withFile({ name }),
    noName,
  ]),
  ...["", "A".repeat(64), "a".repeat(63), "a".repeat(65), `x${"a".repeat(64)}`, 5].map((sha256) => [
    withFile({ sha256 }),
    "check.sh has no sha256",
  ]),
  ...[-1, 1.5, 4_194_305, "1", null].map((size) => [withFile({ size }), noSize]),
  ...[
    "/..",
    "/a/..",
    "/../a",
    "/.",
    "/./a",
    "a",
    "",
    "/",
    "/a b",
    "/a\\b",
    "//a",
    "/a/",
    "x/a",
    `/${"x".repeat(65)}`,
    "/a".repeat(13),
    5,
  ].map((folder) => [manifestOf({ watch: ["/var/lib/a", folder] }), noWatch]),
  ...["/a", { length: 0 }, Array(9).fill("/a")].map((watch) => [manifestOf({ watch }), noWatch]),
])("a bundle.json %s is refused: %s", (text, why) => {
  expect(parsed(text)).toBe(why);
});

test.each([
  {},
  { version: "x".repeat(64) },
  { version: "1.0.0-rc.1+b_2" },
  { files: Array(20).fill(someFile) },
  { files: [{ ...someFile, name: "x".repeat(64), size: 0 }] },
  { files: [{ ...someFile, name: "9.a_b-c", size: 4_194_304, fnv1a: "811c9dc5" }] },
  { watch: ["/var/lib/example-agent", "/...", "/..a/.b", `/${"x".repeat(64)}`, "/a@b-c.d", "/a".repeat(12)] },
  { watch: Array(8).fill("/a") },
])("a bundle.json with %j is taken as it says", (change) => {
  expect(parsed(manifestOf(change))).toEqual({ ...JSON.parse(manifestOf({ watch: [], ...change })) });
});

test("a file's second sum that is no text counts as none", () => {
  expect(parsed(withFile({ fnv1a: 5 }))).toMatchObject({ files: [someFile] });
  expect(JSON.stringify(parsed(withFile({ fnv1a: 5 })))).not.toContain("fnv1a");
});

test.each([
  ["its second sum", { fnv1a: "fd0c5087", sha256: "of no matter" }, undefined],
  ["its second sum, which is wrong", { fnv1a: "fd0c5086" }, "check.sh is damaged: its FNV-1a is fd0c5087"],
  ["its length, which is wrong", { fnv1a: "fd0c5087", size: 2 }, "check.sh has 1 bytes, bundle.json says 2"],
  ["its first sum where it has no second", {}, undefined],
  ["its first sum, which is wrong", { sha256: digestOf("y") }, "the SHA-256 of check.sh is "],
])("a packaged file is known by %s", (_, change, why) => {
  const verify = () => {
    verifyUndamaged({ ...someFile, ...change }, Buffer.from("x"), "a test");
  };
  if (why === undefined) expect(verify).not.toThrow();
  else expect(verify).toThrow(why);
});

const fitting = { files: [someFile, { ...someFile, name: "rules.json" }] };
test.each<[string, object, string, string | undefined]>([
  ["its own minimum", { minimumHandlerVersion: "1.2.3" }, "1.2.3", undefined],
  ["an older handler", { minimumHandlerVersion: "1.2.4" }, "1.2.3", "it needs handler 1.2.4 or later, this is 1.2.3"],
  ["sources that run unbuilt", { minimumHandlerVersion: "9.0.0" }, "0.0.0", undefined],
  ["no rules", { files: [someFile] }, "1.2.3", "it has no rules.json"],
  ["no script", { files: [{ ...someFile, name: "rules.json" }] }, "1.2.3", "it has no check.sh"],
  ["a script for a program", { protocol: 2 }, "1.2.3", "it has no check.cjs"],
  [
    "a program",
    { protocol: 2, files: ["check.cjs", "rules.json"].map((name) => ({ ...someFile, name })) },
    "1.2.3",
    undefined,
  ],
])("a bundle.json fits this handler, or says why not: %s", (...[, change, handlerVersion, why]) => {
  const fit = () => {
    requireFit(
      Buffer.from(manifestOf({ ...fitting, ...change })),
      { host: checkHost(), handlerVersion, wanted: undefined },
      "a test",
    );
  };
  if (why === undefined) expect(fit).not.toThrow();
  else expect(fit).toThrow(`Cannot use the check bundle from a test: ${why}`);
});

test.each([
  ["no list of keys", undefined, []],
  ["a list that is none", '{"keyId":"a","publicKey":"b"}', []],
  ["a list that is cut", '[{"keyId":"a","publ', []],
  [
    "a list with more than keys",
    JSON.stringify([
      { keyId: "a", publicKey: "b", more: 1 },
      { keyId: "a" },
      { publicKey: "b" },
      "a",
      null,
      { keyId: 1, publicKey: "b" },
    ]),
    [{ keyId: "a", publicKey: "b" }],
  ],
])("a package with %s trusts what it names", async (_, text, keys) => {
  const folder = mkdtempSync(join(tmpdir(), "capz-keys-"));
  mkdirSync(join(folder, "bundle"));
  if (text !== undefined) writeFileSync(join(folder, "bundle", "trusted-keys.json"), text);
  expect(await readTrustedKeys(folder)).toEqual(keys);
});

test("a list of keys that cannot be read is no empty one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-keys-"));
  mkdirSync(join(folder, "bundle", "trusted-keys.json"), { recursive: true });
  await expect(readTrustedKeys(folder)).rejects.toThrow("EISDIR");
});

const key = makeSigningKey("release-2026");
const stranger = makeSigningKey("stranger");
const wanted = makeBundle({ version: "1.1.0" });
const { signature: goodSignature } = JSON.parse(signManifest(wanted.manifest, key)) as { readonly signature: string };

test.each([
  ["nothing", undefined, "there is neither a checkSha256 nor a bundle.json.sig"],
  ["no JSON", "{", "bundle.json.sig is not a JSON object with keyId and signature"],
  ["no object", "[]", "bundle.json.sig is not a JSON object with keyId and signature"],
  ["no signature", '{"keyId":"release-2026"}', "bundle.json.sig is not a JSON object"],
  ["no key", JSON.stringify({ signature: goodSignature }), "bundle.json.sig is not a JSON object"],
  [
    "the name of another key",
    JSON.stringify({ keyId: `${"x".repeat(64)}y`, signature: goodSignature }),
    `names the key "${"x".repeat(64)}", which this package does not trust`,
  ],
  [
    "the second key's name",
    JSON.stringify({ keyId: "stranger", signature: goodSignature }),
    "does not fit bundle.json",
  ],
  [
    "the key's name and a good signature",
    JSON.stringify({ keyId: "release-2026", signature: goodSignature }),
    undefined,
  ],
])("a signature that holds %s is judged", (_, text, why) => {
  const trust = { sha256: undefined, keys: [stranger, key] };
  const signature = text === undefined ? undefined : Buffer.from(text);
  const verify = () => {
    verifyTrust(Buffer.from(wanted.manifest), signature, { trust, source: "a test" });
  };
  if (why === undefined) expect(verify).not.toThrow();
  else expect(verify).toThrow(why);
});

function bundleOf(version: string): Bundle {
  const { manifest, files, digest } = makeBundle({ version });
  const bytes = Buffer.from(manifest);
  const held = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const);
  return { manifest: parseManifest(bytes, "a test"), digest, manifestBytes: bytes, files: new Map(held) };
}

test("the cache keeps four bundles, for us alone, as they came, and gives the one that is asked for", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "capz-cache-")), "below", "bundles");
  const bundles = ["1", "2", "3", "4", "5", "6"].map(bundleOf);
  const [first] = bundles;
  if (first === undefined) throw new Error("there is none");
  await cacheBundle(folder, first, Buffer.from("signed"));
  const own = join(folder, first.digest);
  const names = ["bundle.json", "bundle.json.sig", ...first.files.keys()].toSorted();
  expect(readdirSync(own).toSorted()).toEqual(names);
  expect([folder, own].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(new Set(names.map((name) => statSync(join(own, name)).mode & 0o777))).toEqual(new Set([0o600]));
  await cacheBundle(folder, first, undefined);
  expect(readdirSync(own)).not.toContain("bundle.json.sig");
  const others = ["0-else", `${"0".repeat(64)}x`, `-${"a".repeat(64)}`];
  for (const name of others) mkdirSync(join(folder, name));
  for (const bundle of bundles.slice(1)) await cacheBundle(folder, bundle, undefined);
  const keptNow = () => readdirSync(folder).filter((name) => !others.includes(name));
  const kept = keptNow();
  expect(kept).toHaveLength(4);
  expect(readdirSync(folder)).toHaveLength(7);
  const again = bundles.find(({ digest }) => digest === kept[0]);
  if (again !== undefined) await cacheBundle(folder, again, undefined);
  expect(keptNow()).toEqual(kept);
  expect(kept).toContain(bundles.at(-1)?.digest);
  const sources = await cachedSources(folder, undefined);
  expect(sources.map(({ description }) => description)).toEqual(
    kept.toSorted().map((name) => `the cache (${name.slice(0, 12)})`),
  );
  const [one] = await cachedSources(folder, kept[1]);
  expect(one?.description).toContain(kept[1]?.slice(0, 12));
  expect(
    createHash("sha256")
      .update(await Promise.resolve(one?.read("bundle.json", 9999)).then(String))
      .digest("hex"),
  ).toBe(kept[1]);
  expect(await cachedSources(folder, "0".repeat(64))).toEqual([]);
  expect(await cachedSources(join(folder, "none"), undefined)).toEqual([]);
});

test("a bundle that cannot be kept whole leaves nothing half in the cache", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-cache-"));
  const bundle = bundleOf("1");
  const broken = { ...bundle, files: new Map([["no/such/folder", Buffer.from("x")]]) };
  mkdirSync(join(folder, "renew-"));
  await cacheBundle(folder, broken, undefined);
  expect(readdirSync(folder)).toEqual(["renew-"]);
  const blocked = join(folder, "file");
  writeFileSync(blocked, "");
  await cacheBundle(blocked, bundle, undefined);
  expect(readFileSync(blocked, "utf8")).toBe("");
});

test("a file of a folder is read up to its limit, and closed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-read-"));
  writeFileSync(join(folder, "ten"), "0123456789");
  const read = readFromFolder(folder);
  expect((await read("ten", 10)).toString()).toBe("0123456789");
  await expect(read("ten", 9)).rejects.toMatchObject({
    id: "checkUnavailable",
    message: `Cannot read ${join(folder, "ten")}: it has 10 bytes, allowed are 9`,
  });
  await expect(read("none", 9)).rejects.toMatchObject({ id: "checkUnavailable" });
  expect(openFilesBelow(folder)).toEqual([]);
});

test("only older copies of a bundle are removed before a new one is placed", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "capz-place-")), "work");
  mkdirSync(join(folder, "check-bundle-old", "below"), { recursive: true });
  mkdirSync(join(folder, "check-state"));
  const placed = await placeBundle(bundleOf("1"), folder);
  expect(readdirSync(folder).toSorted()).toEqual([placed.slice(folder.length + 1), "check-state"].toSorted());
  expect(readdirSync(placed).toSorted()).toEqual([...bundleOf("1").files.keys()].toSorted());
});
