import { mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openBundleFolder } from "../../../../handler/check/obtain/open-bundle-folder.ts";
import type { Host } from "../../../../handler/host.ts";
import { Secret } from "../../../../handler/settings/secret.ts";
import {
  embedBundle,
  makeBundle,
  makeSigningKey,
  obtainBundle,
  serveBundle,
  type BundleSettings,
  type Obtaining,
} from "../../../support/bundle-maker.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { ok, startHttpServer, status, type TestServer } from "../../../support/http-server.ts";

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

async function obtain(wish: Partial<BundleSettings>, more?: Obtaining) {
  const check = await obtainBundle(host, wish, more);
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
