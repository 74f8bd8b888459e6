import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { listOf, member, textOr } from "../../../publish/json-value.ts";
import { sha256 } from "../../../publish/digest.ts";
import { makeDevelopmentKey, makeReleaseKey, type BundleKey } from "../../../publish/sign/bundle-key.ts";

/** The steps of release.yml that no other test runs, as they are written there; `gh` and `az` are played, the tool is the real one. */
const project = join(import.meta.dirname, "../../..");
const workflow: unknown = parse(readFileSync(join(project, ".github/workflows/release.yml"), "utf8"));
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { readonly version: string };
const tag = `v${version}`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-release-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A checkout as the runner has it, with the tools that need a login played. */
function checkout(): string {
  const place = mkdtempSync(join(folder, "run-"));
  for (const name of ["package.json", "publish"]) symlinkSync(join(project, name), join(place, name));
  for (const name of ["tools", "temp", "release", "dist/bundle", "manifests"])
    mkdirSync(join(place, name), { recursive: true });
  const changelog = readFileSync(join(project, "CHANGELOG.md"), "utf8");
  writeFileSync(
    join(place, "CHANGELOG.md"),
    changelog.replace(`## ${version} (unreleased)`, `## ${version} - 2026-12-01`),
  );
  const play = (name: string, text: string) => {
    writeFileSync(join(place, "tools", name), `#!/bin/sh\necho "$*" >> ${place}/${name}.log\n${text}\n`, {
      mode: 0o755,
    });
  };
  play("gh", 'case "$2" in view) exit 1 ;; esac');
  play("az", `cat ${place}/vault.pem`);
  return place;
}

function runStep(
  place: string,
  job: string,
  name: string,
  variables: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const step = listOf(member(workflow, "jobs", job, "steps")).find((one) => member(one, "name") === name);
  const text = textOr(member(step, "run"), `echo "no step ${name}"; exit 99`);
  return spawnSync("bash", ["-e", "-o", "pipefail", "-c", text], {
    cwd: place,
    encoding: "utf8",
    env: {
      PATH: [join(place, "tools"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
      HOME: place,
      RUNNER_TEMP: join(place, "temp"),
      TAG: tag,
      REPOSITORY: "someone/somewhere",
      ...variables,
    },
  });
}

describe("the page of a release", () => {
  test("has every file in one list of checksums, notes with the image, and is published last", () => {
    const place = checkout();
    const files = {
      "a.zip": "package",
      "bundle.json": "{}",
      "capz-bootstrap.cjs": "client",
      "management.yaml": "kind: List",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place, "release", name), text);
    writeFileSync(join(place, "release/image.txt"), "ghcr.io/someone/image@sha256:ab\n");
    writeFileSync(join(place, "release/SHA256SUMS"), `${sha256(Buffer.from("package"))}  a.zip\n`);
    for (const name of [
      "Every file under one list of checksums",
      "The notes, from the changelog",
      "Everything beside the tag",
    ])
      expect({ name, ...runStep(place, "github-release", name) }).toMatchObject({ name, status: 0, stderr: "" });
    expect(readdirSync(join(place, "release")).toSorted()).toEqual(["SHA256SUMS", ...Object.keys(files)]);
    expect(spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(place, "release") }).status).toBe(0);
    const notes = readFileSync(join(place, "temp/notes.md"), "utf8");
    expect(notes).toMatch(/^### Added\n/u);
    expect(notes).toContain("ghcr.io/someone/image@sha256:ab");
    expect(notes).toContain(`\`checkSha256\`: \`${sha256(Buffer.from("{}"))}\``);
    expect(notes).toContain("gh attestation verify FILE --repo someone/somewhere");
    const calls = readFileSync(join(place, "gh.log"), "utf8").trim().split("\n");
    expect(calls.map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual(
      ["view", "create", "upload", "edit"].map((verb) => `release ${verb} ${tag}`),
    );
    expect(calls[1]).toContain("--verify-tag --draft");
    for (const name of [...Object.keys(files), "SHA256SUMS"]) expect(calls[2]).toContain(`release/${name}`);
    expect(calls[3]).toContain("--draft=false");
  });

  test("is not begun where a package is not the one that was built, or the changelog has no dated section", () => {
    const place = checkout();
    writeFileSync(join(place, "release/a.zip"), "another");
    writeFileSync(join(place, "release/image.txt"), "i\n");
    writeFileSync(join(place, "release/SHA256SUMS"), `${sha256(Buffer.from("package"))}  a.zip\n`);
    expect(runStep(place, "github-release", "Every file under one list of checksums").status).not.toBe(0);
    expect(runStep(place, "build", "The changelog has a dated section of it").status).toBe(0);
    writeFileSync(join(place, "CHANGELOG.md"), `## ${version} (unreleased)\n\n- x\n`);
    expect(runStep(place, "build", "The changelog has a dated section of it")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is not released"),
    });
  });
});

describe("the check bundle of a release", () => {
  const sign = "Sign, and verify with the keys that the packages of this tag trust";
  const signed = "A package that trusts a key has a signed bundle beside it";
  const variables = { VAULT: "vault", KEY_ID: "release-2026" };

  function withKeys(vault: BundleKey, trusted: readonly BundleKey["entry"][]): string {
    const place = checkout();
    writeFileSync(join(place, "dist/bundle/bundle.json"), "{}\n");
    writeFileSync(join(place, "vault.pem"), vault.privateKey);
    writeFileSync(join(place, "manifests/trusted-keys.json"), JSON.stringify(trusted));
    return place;
  }

  test("is signed with the key of the vault, which leaves nothing on the runner", () => {
    const key = makeReleaseKey("release-2026");
    const place = withKeys(key, [key.entry]);
    expect(runStep(place, "sign-bundle", sign, variables)).toMatchObject({ status: 0, stderr: "" });
    expect(runStep(place, "sign-bundle", signed).status).toBe(0);
    expect(readdirSync(join(place, "temp"))).toEqual([]);
    expect(readFileSync(join(place, "az.log"), "utf8")).toContain(
      "keyvault secret show --vault-name vault --name release-2026",
    );
  });

  test.each([
    ["another key than the packages trust", makeReleaseKey("release-2026"), [makeReleaseKey("release-2026").entry]],
    ["a key that is not in the list", makeReleaseKey("release-2026"), [makeReleaseKey("release-2025").entry]],
  ])("is refused when it was signed with %s", (_, key, trusted) => {
    const place = withKeys(key, trusted);
    expect(runStep(place, "sign-bundle", sign, variables).status).toBe(1);
    expect(readdirSync(join(place, "temp"))).toEqual([]);
  });

  test("may be unsigned only where no package trusts a key", () => {
    const key = makeDevelopmentKey("x");
    expect(runStep(withKeys(key, [key.entry]), "sign-bundle", signed).status).toBe(1);
    expect(runStep(withKeys(key, []), "sign-bundle", signed).status).toBe(0);
  });
});
