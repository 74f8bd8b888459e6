import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Secret } from "../../../../handler/settings/secret.ts";
import {
  embedBundle,
  makeBundle,
  makeSigningKey,
  obtainBundle,
  serveBundle,
  signManifest,
  type BundleSettings,
  type MadeBundle,
} from "../../../support/bundle-maker.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { ok, startHttpServer, status, type Answer, type TestServer } from "../../../support/http-server.ts";

const key = makeSigningKey("release-2026");
const stranger = makeSigningKey("stranger");
const embedded = makeBundle({ version: "1.0.0", check: "echo embedded; exit 75\n" });
const wanted = makeBundle({ version: "1.1.0", check: "echo downloaded; exit 75\n" });

let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.close());

interface Hostile {
  readonly title: string;
  readonly serve: (path: string) => void;
  readonly wish?: Partial<BundleSettings>;
  readonly handlerVersion?: string;
  readonly id: string;
  readonly says: string;
  /** How fast its clock runs; 100 times where it is not said. */
  readonly factor?: number;
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
    // On a busy machine 5 MB come with breaks.
    factor: 5,
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
  const host = fastHost(checkHost(), row.factor);
  await embedBundle(host.programFolder, embedded, [key]);
  const wish = { version: "1.1.0", baseUris: [new Secret(`${server.origin}${path}`)], ...row.wish };
  const more = row.handlerVersion === undefined ? {} : { handlerVersion: row.handlerVersion };
  const check = await obtainBundle(host, wish, more);
  expect(check).toMatchObject({ origin: "embedded", version: "1.0.0" });
  expect(readFileSync(check.entry.path, "utf8")).toBe(embedded.files["check.sh"]);
  expect(check.warnings).toHaveLength(1);
  expect(check.warnings[0]).toContain(row.says);
  expect(check.warnings[0]).toContain("The check bundle 1.0.0 of the package is used instead");
  await expect(obtainBundle(host, { ...wish, required: true }, more)).rejects.toMatchObject({ id: row.id });
});
