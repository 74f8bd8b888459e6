import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { parseManifest, verifyUndamaged, type Bundle } from "../../../../handler/check/obtain/bundle.ts";
import { requireFit } from "../../../../handler/check/obtain/bundle-fit.ts";
import { placeBundle } from "../../../../handler/check/obtain/place-bundle.ts";
import { readFromFolder } from "../../../../handler/check/obtain/read-bundle.ts";
import { cacheBundle, cachedSources } from "../../../../handler/check/obtain/bundle-cache.ts";
import { openBundleFolder } from "../../../../handler/check/obtain/open-bundle-folder.ts";
import { readTrustedKeys, verifyTrust } from "../../../../handler/check/obtain/trust.ts";
import { obtainCheck } from "../../../../handler/check/obtain/obtain-check.ts";
import type { Host } from "../../../../handler/host.ts";
import { Secret } from "../../../../handler/settings/secret.ts";
import type { CheckSettings } from "../../../../handler/settings/settings.ts";
import {
  embedBundle,
  makeBundle,
  makeSigningKey,
  serveBundle,
  signManifest,
  type MadeBundle,
} from "../../../support/bundle-maker.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { ok, startHttpServer, status, type Answer, type TestServer } from "../../../support/http-server.ts";

const key = makeSigningKey("release-2026");
const stranger = makeSigningKey("stranger");
const embedded = makeBundle({ version: "1.0.0", check: "echo embedded; exit 75\n" });
const wanted = makeBundle({ version: "1.1.0", check: "echo downloaded; exit 75\n" });

let server: TestServer;
let host: Host;

beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  host = fastHost(checkHost());
  await embedBundle(host.programFolder, embedded, [key]);
});

type BundleSettings = Extract<CheckSettings, { kind: "bundle" }>;

async function obtain(
  wish: Partial<BundleSettings>,
  more: { readonly handlerVersion?: string; readonly remainingMs?: number; readonly signal?: AbortSignal } = {},
) {
  const check = await obtainCheck({
    host,
    workFolder: join(host.root, "work"),
    identity: { vmId: "vm-1", bootId: "boot-1" },
    handlerVersion: more.handlerVersion ?? "1.0.0",
    deadline: { remainingMs: () => more.remainingMs ?? 400_000 },
    signal: more.signal ?? new AbortController().signal,
    settings: {
      check: { kind: "bundle", version: undefined, sha256: undefined, baseUris: [], required: false, ...wish },
      storage: { kind: "anonymous" },
      proxy: undefined,
    },
  });
  if (check.kind !== "bundle") throw new Error("not a bundle");
  return { ...check, text: readFileSync(check.entry.path, "utf8") };
}

const from = (...paths: readonly string[]) => paths.map((path) => new Secret(`${server.origin}${path}`));

test("without a wish the embedded bundle is used, from a private folder, and nothing is asked of the network", async () => {
  const before = server.requests.length;
  const check = await obtain({});
  expect(check).toMatchObject({ origin: "embedded", version: "1.0.0", warnings: [], text: embedded.files["check.sh"] });
  expect(statSync(check.entry.path).mode & 0o777).toBe(0o500);
  expect(statSync(join(check.entry.path, "..")).mode & 0o777).toBe(0o700);
  expect(readFileSync(check.rules, "utf8")).toBe(embedded.files["rules.json"]);
  expect(server.requests.length).toBe(before);
});

test("checkVersion equal to the embedded one asks nothing of the network", async () => {
  expect(await obtain({ version: "1.0.0", baseUris: from("/never") })).toMatchObject({
    origin: "embedded",
    warnings: [],
  });
});

test("a damaged embedded bundle is not run", async () => {
  writeFileSync(join(host.programFolder, "bundle", "check.sh"), "exit 0\n");
  await expect(obtain({})).rejects.toMatchObject({ id: "checkUntrusted" });
});

test("another version is accepted by its digest", async () => {
  serveBundle(server, "/digest", wanted);
  const check = await obtain({ version: "1.1.0", sha256: wanted.digest, baseUris: from("/digest") });
  expect(check).toMatchObject({ origin: "downloaded", version: "1.1.0", warnings: [], text: wanted.files["check.sh"] });
});

test("another version is accepted by the signature of a trusted key; {version} is filled in and a SAS kept", async () => {
  serveBundle(server, "/signed/1.1.0", { bundle: wanted, key });
  const before = server.requests.length;
  const check = await obtain({ version: "1.1.0", baseUris: from("/signed/{version}/?sig=SECRET") });
  expect(check).toMatchObject({ origin: "downloaded", version: "1.1.0", warnings: [] });
  expect(server.requests.slice(before).map(({ path }) => path)).toContain("/signed/1.1.0/check.sh?sig=SECRET");
});

test("base URIs are tried in their order", async () => {
  server.answer("/down/bundle.json", status(404));
  serveBundle(server, "/up", { bundle: wanted, key });
  expect(await obtain({ version: "1.1.0", baseUris: from("/down", "/up") })).toMatchObject({ origin: "downloaded" });
});

test("a bundle downloaded once comes from the cache when the network is gone, verified again", async () => {
  serveBundle(server, "/once", { bundle: wanted, key });
  await obtain({ version: "1.1.0", baseUris: from("/once") });
  const before = server.requests.length;
  expect(await obtain({ version: "1.1.0", baseUris: from("/gone") })).toMatchObject({
    origin: "cached",
    version: "1.1.0",
  });
  expect(server.requests.length).toBe(before);
  writeFileSync(join(host.root, "var/lib/capz-bootstrap/bundles", wanted.digest, "check.sh"), "exit 0\n");
  const check = await obtain({ version: "1.1.0", baseUris: from("/gone") });
  expect(check).toMatchObject({ origin: "embedded", text: embedded.files["check.sh"] });
  expect(await obtain({ version: "1.1.0", baseUris: from("/once") })).toMatchObject({ origin: "downloaded" });
});

test("an older version than the package's is used and named", async () => {
  const old = makeBundle({ version: "0.9.0", minimumHandlerVersion: "0.9.0" });
  serveBundle(server, "/old", { bundle: old, key });
  expect(await obtain({ version: "0.9.0", baseUris: from("/old") })).toMatchObject({
    origin: "downloaded",
    warnings: ["checkVersion asks for the check bundle 0.9.0, which is older than 1.0.0 in the package"],
  });
});

test("a bundle of protocol 2 is a program, one of protocol 1 a script", async () => {
  const program = makeBundle({ version: "1.4.0", protocol: 2, program: "module.exports = {};\n" });
  serveBundle(server, "/program/1.4.0", { bundle: program, key });
  const check = await obtain({ version: "1.4.0", baseUris: from("/program/{version}") });
  expect(check).toMatchObject({ origin: "downloaded", entry: { kind: "program" }, text: "module.exports = {};\n" });
  expect((await obtain({})).entry.kind).toBe("script");
});

test("each download goes into a fresh folder, and older ones are removed", async () => {
  mkdirSync(join(host.root, "work"), { recursive: true });
  const first = await obtain({});
  const second = await obtain({});
  expect(second.entry.path).not.toBe(first.entry.path);
  expect(readdirSync(join(host.root, "work"))).toHaveLength(1);
});

test("when nothing can be written the embedded bundle runs from the package, with a warning", async () => {
  writeFileSync(join(host.root, "work"), "a file where the folder should be");
  const check = await obtain({});
  expect(check).toMatchObject({
    origin: "embedded",
    entry: { kind: "script", path: join(host.programFolder, "bundle", "check.sh") },
  });
  expect(check.warnings[0]).toMatch(/^Cannot write the check into .*runs from the package's folder$/u);
});

interface Hostile {
  readonly title: string;
  readonly serve: (path: string) => void;
  readonly wish?: Partial<BundleSettings>;
  readonly handlerVersion?: string;
  readonly id: string;
  readonly says: string;
}

/** Serves a signed bundle of the wanted version with one answer replaced. */
function serveWith(name: string, ...answers: readonly Answer[]) {
  return (path: string) => {
    serveBundle(server, path, { bundle: wanted, key });
    server.answer(`${path}/${name}`, ...answers);
  };
}

const serveSigned =
  (bundle: MadeBundle, by = key) =>
  (path: string) => {
    serveBundle(server, path, { bundle: bundle, key: by });
  };

const hostile: readonly Hostile[] = [
  {
    title: "wrong digest of bundle.json",
    serve: serveSigned(wanted),
    wish: { sha256: "0".repeat(64) },
    id: "checkUntrusted",
    says: "checkSha256 says 0000",
  },
  {
    title: "wrong digest of a file",
    serve: serveWith("check.sh", ok("echo download3d; exit 75\n")),
    id: "checkUntrusted",
    says: "the SHA-256 of check.sh is",
  },
  {
    title: "truncated file",
    serve: serveWith("check.sh", ok("echo")),
    id: "checkUntrusted",
    says: "check.sh has 4 bytes",
  },
  {
    title: "truncated transfer",
    serve: serveWith("check.sh", { kind: "break-off", body: wanted.files["check.sh"] ?? "", afterBytes: 3 }),
    id: "checkUnavailable",
    says: "check.sh",
  },
  { title: "slow", serve: serveWith("bundle.json", { kind: "silence" }), id: "checkUnavailable", says: "bundle.json" },
  {
    title: "stalling body",
    serve: serveWith("rules.json", { kind: "stall", body: "x".repeat(100), afterBytes: 5 }),
    id: "checkUnavailable",
    says: "rules.json",
  },
  {
    title: "redirect to http",
    serve: serveWith("bundle.json", { kind: "redirect", to: "http://mirror.example/bundle.json" }),
    id: "checkUnavailable",
    says: "which is not https",
  },
  { title: "404", serve: () => undefined, id: "checkUnavailable", says: "the server answered 404" },
  {
    title: "429 with a Retry-After beyond the share of the deadline",
    serve: serveWith("bundle.json", status(429, { "retry-after": "86400" })),
    id: "checkUnavailable",
    says: "the server answered 429",
  },
  {
    title: "huge",
    serve: serveWith("check.sh", { kind: "flood", bytes: 5 * 1024 * 1024 }),
    id: "checkUnavailable",
    says: "larger than the allowed",
  },
  {
    title: "path traversal in a name",
    serve: serveSigned(
      makeBundle({ version: "1.1.0", extraFiles: [{ name: "../../etc/cron.d/x", sha256: "0".repeat(64), size: 1 }] }),
    ),
    id: "checkUntrusted",
    says: "not a plain file name",
  },
  {
    title: "valid signature over another version",
    serve: serveSigned(makeBundle({ version: "0.5.0" })),
    id: "checkUntrusted",
    says: "it is version 0.5.0, checkVersion says 1.1.0",
  },
  {
    title: "signature of a stranger",
    serve: serveSigned(wanted, stranger),
    id: "checkUntrusted",
    says: 'the key "stranger"',
  },
  {
    title: "signature of a stranger under a trusted name",
    serve: serveSigned(wanted, { ...stranger, keyId: key.keyId }),
    id: "checkUntrusted",
    says: "does not fit bundle.json",
  },
  {
    title: "signature over other bytes",
    serve: serveWith("bundle.json.sig", ok(signManifest(`${wanted.manifest} `, key))),
    id: "checkUntrusted",
    says: "does not fit bundle.json",
  },
  {
    title: "signature that is no JSON",
    serve: serveWith("bundle.json.sig", ok("<html>")),
    id: "checkUntrusted",
    says: "bundle.json.sig",
  },
  {
    title: "another protocol",
    serve: serveSigned(makeBundle({ version: "1.1.0", protocol: 3 })),
    id: "checkIncompatible",
    says: "protocol 3, this handler speaks 1 and 2",
  },
  {
    title: "the protocol of a program, and scripts",
    serve: serveSigned(makeBundle({ version: "1.1.0", protocol: 2 })),
    id: "checkIncompatible",
    says: "it has no check.cjs",
  },
  {
    title: "a newer handler needed",
    serve: serveSigned(makeBundle({ version: "1.1.0", minimumHandlerVersion: "1.10.0" })),
    handlerVersion: "1.9.0",
    id: "checkIncompatible",
    says: "it needs handler 1.10.0 or later, this is 1.9.0",
  },
];

test.each(hostile)("hostile bundle server: $title -> never run, $id when required", async (row) => {
  const path = `/hostile-${String(hostile.indexOf(row))}`;
  row.serve(path);
  const wish = { version: "1.1.0", baseUris: from(path), ...row.wish };
  const more = row.handlerVersion === undefined ? {} : { handlerVersion: row.handlerVersion };
  const check = await obtain(wish, more);
  expect(check).toMatchObject({ origin: "embedded", version: "1.0.0", text: embedded.files["check.sh"] });
  expect(check.warnings).toHaveLength(1);
  expect(check.warnings[0]).toContain(row.says);
  expect(check.warnings[0]).toContain("The check bundle 1.0.0 of the package is used instead");
  await expect(obtain({ ...wish, required: true }, more)).rejects.toMatchObject({ id: row.id });
});

test("429 with a short Retry-After heals", async () => {
  serveBundle(server, "/busy", { bundle: wanted, key });
  server.answer("/busy/bundle.json", status(429, { "retry-after": "5" }), ok(wanted.manifest));
  expect(await obtain({ version: "1.1.0", baseUris: from("/busy") })).toMatchObject({ origin: "downloaded" });
});

test("downloading takes its share of the deadline at most: a quarter", async () => {
  server.answer("/silent/bundle.json", { kind: "silence" });
  const pauses: number[] = [];
  const base = host;
  host = {
    ...base,
    sleep: (ms, signal) => {
      pauses.push(ms);
      return base.sleep(ms, signal);
    },
  };
  const check = await obtain({ version: "1.1.0", baseUris: from("/silent", "/silent") }, { remainingMs: 40_000 });
  expect(check.warnings[0]).toContain("no time is left for it");
  expect(Math.max(...pauses)).toBeGreaterThan(9000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
});

test("a digest without a version and without base URIs says what is missing", async () => {
  const { warnings } = await obtain({ sha256: wanted.digest });
  expect(warnings[0]).toContain("set checkVersion, or checkBaseUris without {version}");
  expect(warnings[0]).toContain(`The check bundle with the SHA-256 ${wanted.digest} cannot be had`);
  serveBundle(server, "/no-version", wanted);
  expect((await obtain({ sha256: wanted.digest, baseUris: from("/no-version") })).origin).toBe("downloaded");
});

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

test("a bundle in a folder is opened with every test but the signature, and runs from a copy of ours", async () => {
  const folder = join(host.programFolder, "bundle");
  const request = { host, folder, workFolder: join(host.root, "opened"), handlerVersion: "1.0.0" };
  const opened = await openBundleFolder(request);
  expect(opened).toMatchObject({ kind: "bundle", version: "1.0.0", origin: "downloaded", warnings: [], watch: [] });
  expect(opened.rules.startsWith(request.workFolder)).toBe(true);
  expect(readFileSync(opened.entry.path, "utf8")).toBe(embedded.files["check.sh"]);
  await expect(openBundleFolder({ ...request, handlerVersion: "0.9.0" })).rejects.toMatchObject({
    id: "checkIncompatible",
  });
  writeFileSync(join(folder, "check.sh"), "exit 0\n");
  await expect(openBundleFolder(request)).rejects.toMatchObject({ id: "checkUntrusted" });
  await expect(openBundleFolder({ ...request, folder: host.root })).rejects.toMatchObject({
    id: "checkUnavailable",
    message: expect.stringContaining(`There is no bundle.json in "${host.root}"`),
  });
});

test("the embedded bundle is used for its own digest, and not for another one of its version", async () => {
  const before = server.requests.length;
  expect(await obtain({ sha256: embedded.digest })).toMatchObject({ origin: "embedded", warnings: [] });
  expect(server.requests.length).toBe(before);
  const other = makeBundle({ version: "1.0.0", check: "echo another; exit 75\n" });
  serveBundle(server, "/other", other);
  const check = await obtain({ version: "1.0.0", sha256: other.digest, baseUris: from("/other") });
  expect(check).toMatchObject({ origin: "downloaded", warnings: [], text: other.files["check.sh"] });
  expect(await obtain({ version: "1.0.0", sha256: other.digest, baseUris: from("/gone") })).toMatchObject({
    origin: "cached",
  });
});

test("a package that trusts no key asks nothing of the network, and says what to set", async () => {
  await embedBundle(host.programFolder, embedded, []);
  serveBundle(server, "/unsigned", { bundle: wanted, key });
  const before = server.requests.length;
  const wish = { version: "1.1.0", baseUris: from("/unsigned") };
  expect((await obtain(wish)).warnings[0]).toContain(
    "The check bundle 1.1.0 cannot be accepted: this package trusts no key",
  );
  await expect(obtain({ ...wish, required: true })).rejects.toMatchObject({
    id: "checkUntrusted",
    hint: expect.stringContaining("Set checkSha256"),
  });
  expect(server.requests.length).toBe(before);
  expect((await obtain({ ...wish, sha256: wanted.digest })).origin).toBe("downloaded");
});

test("of several failures the gravest gives the code, and all are told in their order", async () => {
  serveBundle(server, "/stranger", { bundle: wanted, key: stranger });
  serveBundle(server, "/later", { bundle: makeBundle({ version: "1.1.0", protocol: 3 }), key });
  const failure = async (...paths: readonly string[]): Promise<unknown> =>
    obtain({ version: "1.1.0", baseUris: from(...paths), required: true }).catch((error: unknown) => error);
  expect(await failure("/gone", "/later", "/stranger")).toMatchObject({
    id: "checkUntrusted",
    message: expect.stringMatching(
      /^The check bundle 1\.1\.0 cannot be had: Cannot .*404; .*protocol 3.*; .*"stranger"/u,
    ),
  });
  expect(await failure("/later", "/gone")).toMatchObject({ id: "checkIncompatible" });
  expect(await failure("/gone")).toMatchObject({ id: "checkUnavailable" });
});

test("who is stopped while he looks for a bundle gets no other one", async () => {
  server.answer("/slow/bundle.json", { kind: "silence" });
  const stop = new AbortController();
  const running = obtain({ version: "1.1.0", baseUris: from("/slow") }, { signal: stop.signal });
  setTimeout(() => {
    stop.abort();
  }, 100);
  await expect(running).rejects.toMatchObject({ id: "interrupted" });
});

test("machines that start in the same second ask one after the other, within three seconds", async () => {
  serveBundle(server, "/many", { bundle: wanted, key });
  const pauses: number[] = [];
  const base = host;
  host = {
    ...base,
    sleep: (ms, signal) => {
      pauses.push(ms);
      return base.sleep(ms, signal);
    },
  };
  const first = async (remainingMs: number) => {
    pauses.length = 0;
    await obtain({ version: "1.1.0", sha256: wanted.digest, baseUris: from("/many") }, { remainingMs });
    return pauses[0] ?? 0;
  };
  const long = await first(400_000);
  expect(long).toBeGreaterThan(0);
  expect(long).toBeLessThan(3000);
  await embedBundle(host.programFolder, embedded, [key]);
  host = { ...host, root: mkdtempSync(join(tmpdir(), "capz-other-")) };
  // A twentieth of the share of a short wait: of 40 s a quarter, and of that a twentieth.
  const short = await first(40_000);
  expect(short / 500).toBeCloseTo(long / 3000, 5);
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
      { host, handlerVersion, wanted: undefined },
      "a test",
    );
  };
  if (why === undefined) expect(fit).not.toThrow();
  else expect(fit).toThrow(`Cannot use the check bundle from a test: ${why}`);
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
  const open = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(join("/proc/self/fd", name));
    } catch {
      return "";
    }
  });
  expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
});

test("only older copies of a bundle are removed before a new one is placed", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "capz-place-")), "work");
  mkdirSync(join(folder, "check-bundle-old", "below"), { recursive: true });
  mkdirSync(join(folder, "check-state"));
  const placed = await placeBundle(bundleOf("1"), folder);
  expect(readdirSync(folder).toSorted()).toEqual([placed.slice(folder.length + 1), "check-state"].toSorted());
  expect(readdirSync(placed).toSorted()).toEqual([...bundleOf("1").files.keys()].toSorted());
});

test("without a base URI the project's own folder of that version is asked", async () => {
  const asked: string[] = [];
  const fetch = (url: string) => {
    asked.push(url);
    return Promise.resolve(new Response(null, { status: 404 }));
  };
  host = { ...host, fetch: fetch as typeof globalThis.fetch };
  expect((await obtain({ version: "v1/x" })).origin).toBe("embedded");
  expect(asked).toEqual([
    "https://raw.githubusercontent.com/kubernetes-sigs/cluster-api-provider-azure/v1%2Fx/bootstrap-check/bundle.json",
  ]);
});

test("a downloaded bundle that cannot be written is no reason to run another one", async () => {
  writeFileSync(join(host.root, "work"), "a file where the folder should be");
  serveBundle(server, "/unwritten", { bundle: wanted, key });
  await expect(obtain({ version: "1.1.0", baseUris: from("/unwritten") })).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringContaining("Cannot write the check into"),
  });
});
