import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
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
  more: { readonly handlerVersion?: string; readonly remainingMs?: number } = {},
) {
  const check = await obtainCheck({
    host,
    workFolder: join(host.root, "work"),
    identity: { vmId: "vm-1", bootId: "boot-1" },
    handlerVersion: more.handlerVersion ?? "1.0.0",
    deadline: { remainingMs: () => more.remainingMs ?? 400_000 },
    signal: new AbortController().signal,
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
});
