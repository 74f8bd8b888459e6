import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { obtainCheck } from "../handler/check/obtain/obtain-check.ts";
import { parseSettings } from "../handler/settings/parse-settings.ts";
import { Secret } from "../handler/settings/secret.ts";
import type { CheckSettings } from "../handler/settings/settings.ts";
import { buildCheckBundle, bundleVersion } from "../publish/check-bundle.ts";
import { makeReleaseKey } from "../publish/sign/bundle-key.ts";
import { embedBundle, makeBundle } from "./support/bundle-maker.ts";
import { checkHost, fastHost } from "./support/check-host.ts";
import { ok, startHttpServer, type TestServer } from "./support/http-server.ts";
import { markdownFiles, snippetsOf } from "./support/markdown.ts";

const project = join(import.meta.dirname, "..");
const tool = join(project, "publish/main.ts");
type BundleSettings = Extract<CheckSettings, { kind: "bundle" }>;

/** Every example that names a check bundle, with what the handler makes of its settings. */
const examples = [...manifestTexts(), ...pageTexts()].flatMap(([name, text]) =>
  settingsIn(text).flatMap((settings) => {
    const parsed = parseSettings({ publicSettings: settings, protectedSettings: null });
    const check =
      parsed.kind === "valid" && parsed.settings.check.kind === "bundle" ? parsed.settings.check : undefined;
    return check?.version === undefined ? [] : [[name, check] as const];
  }),
);

const key = makeReleaseKey("release-2026");
let server: TestServer;

/** What the release leaves beside its packages: the real bundle, signed by the command that the workflow runs. */
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-bundle-"));
  for (const { name, content } of await buildCheckBundle()) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, "key.pem"), key.privateKey);
  const args = ["sign-bundle", folder, "--key", join(folder, "key.pem"), "--key-id", key.entry.keyId];
  expect(spawnSync(process.execPath, ["--no-warnings", tool, ...args]).status).toBe(0);
  server = await startHttpServer();
  for (const name of readdirSync(folder).filter((one) => one !== "key.pem"))
    server.answer(`/${bundleVersion}/${name}`, ok(readFileSync(join(folder, name), "utf8")));
}, 60_000);
afterAll(() => server.close());

/** A package of an earlier version, which holds an older bundle and trusts these keys. */
async function obtain(check: BundleSettings, keys: readonly (typeof key)["entry"][]) {
  const host = fastHost(checkHost());
  await embedBundle(host.programFolder, makeBundle({ version: "1.9.0" }));
  writeFileSync(join(host.programFolder, "bundle/trusted-keys.json"), JSON.stringify(keys));
  mkdirSync(join(host.root, "work"), { recursive: true });
  return obtainCheck({
    host,
    workFolder: join(host.root, "work"),
    identity: { vmId: "vm-1", bootId: "boot-1" },
    handlerVersion: "2.0.0",
    deadline: { remainingMs: () => 400_000 },
    signal: new AbortController().signal,
    // The addresses of the examples are nobody's; the bundle is asked for where this test serves it.
    settings: {
      check: { ...check, baseUris: [new Secret(`${server.origin}/{version}`)] },
      storage: { kind: "anonymous" },
      proxy: undefined,
    },
  });
}

describe("every example that names a check bundle", () => {
  test("is found: manifests of CAPZ and ARM, and the page on upgrades", () => {
    expect(examples.map(([name]) => name).toSorted()).toEqual([
      "docs/upgrade.md",
      "manifests/arm/vm-extension.json",
      "manifests/capz/private-mirror.yaml",
      "manifests/capz/sovereign-china.yaml",
      "manifests/capz/sovereign-us-government.yaml",
    ]);
  });

  test.each(examples)(
    "%s names the bundle of this release, which the keys of the release make acceptable",
    async (_, check) => {
      expect(check.version).toBe(bundleVersion);
      expect(await obtain(check, [key.entry])).toMatchObject({
        origin: "downloaded",
        version: bundleVersion,
        warnings: [],
      });
    },
  );

  test("would not be accepted with another key, nor without any", async () => {
    const [[, check] = ["", undefined]] = examples;
    if (check === undefined) throw new Error("no example");
    for (const keys of [[], [makeReleaseKey("release-2026").entry]])
      await expect(obtain({ ...check, required: true }, keys)).rejects.toMatchObject({ id: "checkUntrusted" });
  });
});

function manifestTexts(): readonly (readonly [string, unknown])[] {
  return ["manifests/arm", "manifests/capz"].flatMap((folder) =>
    readdirSync(join(project, folder))
      .filter((name) => /\.(?:json|yaml)$/u.test(name))
      .flatMap((name) =>
        parseAllDocuments(readFileSync(join(project, folder, name), "utf8")).map(
          (document) => [`${folder}/${name}`, document.toJS() as unknown] as const,
        ),
      ),
  );
}

function pageTexts(): readonly (readonly [string, unknown])[] {
  return markdownFiles(project).flatMap((page) =>
    snippetsOf(readFileSync(join(project, page), "utf8"))
      .filter(({ language }) => language === "json settings" || language === "json")
      .map(({ text }) => [page, { settings: JSON.parse(text) as unknown }] as const),
  );
}

/** Every object under a key `settings`, at any depth. */
function settingsIn(value: unknown): readonly object[] {
  if (Array.isArray(value)) return value.flatMap(settingsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === "settings" && typeof inner === "object" && inner !== null ? [inner] : settingsIn(inner),
  );
}
