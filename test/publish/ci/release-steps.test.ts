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
  step: string,
  variables: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const jobs = member(workflow, "jobs");
  const steps = Object.values(typeof jobs === "object" && jobs !== null ? jobs : {}).flatMap((job: unknown) =>
    listOf(member(job, "steps")),
  );
  const found = steps.find((one) => member(one, "name") === step);
  const text = textOr(member(found, "run"), `echo "no step ${step}"; exit 99`);
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
      expect({ name, ...runStep(place, name) }).toMatchObject({ name, status: 0, stderr: "" });
    expect(readdirSync(join(place, "release")).toSorted()).toEqual(["SHA256SUMS", ...Object.keys(files)]);
    const sums = Object.entries(files).map(([name, text]) => `${sha256(Buffer.from(text))}  ${name}`);
    expect(readFileSync(join(place, "release/SHA256SUMS"), "utf8").trim().split("\n")).toEqual(sums);
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
    expect(runStep(place, "Every file under one list of checksums").status).not.toBe(0);
    expect(runStep(place, "The changelog has a dated section of it").status).toBe(0);
    writeFileSync(join(place, "CHANGELOG.md"), `## ${version} (unreleased)\n\n- x\n`);
    expect(runStep(place, "The changelog has a dated section of it")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is not released"),
    });
  });
});

describe("the image of the management side", () => {
  const naming = "The manifests name the repository, and the image by its digest";
  const deployment = "manifests/management/manager/deployment.yaml";
  const variables = { IMAGE: "ghcr.io/azure/capz-bootstrap-cluster", DIGEST: "sha256:ab" };

  /** kubectl gives the one manifest with the image; the whole set is built with the real one elsewhere. */
  function prepared(change = (text: string) => text): string {
    const place = checkout();
    for (const name of [dirname(deployment), "dist/cluster"]) mkdirSync(join(place, name), { recursive: true });
    writeFileSync(join(place, deployment), change(readFileSync(join(project, deployment), "utf8")));
    const krew = readFileSync(join(project, "manifests/management/krew/capz-bootstrap.yaml"));
    writeFileSync(join(place, "dist/cluster/capz-bootstrap.yaml"), krew);
    writeFileSync(join(place, "tools/kubectl"), `#!/bin/sh\ncat ${place}/${deployment}\n`, { mode: 0o755 });
    return place;
  }

  test("has a name that a registry takes, whatever the owner's is", () => {
    const place = checkout();
    runStep(place, "The name of the image", { OWNER: "Azure", GITHUB_ENV: join(place, "env") });
    expect(readFileSync(join(place, "env"), "utf8")).toBe(`IMAGE=${variables.IMAGE}\n`);
  });

  test("stands in the manifests by its digest, and no placeholder is left", () => {
    const place = prepared();
    expect(runStep(place, naming, variables)).toMatchObject({ status: 0, stderr: "" });
    const read = (name: string) => readFileSync(join(place, "dist/cluster", name), "utf8");
    expect(read("management.yaml")).toContain(`image: ${variables.IMAGE}:${tag}@sha256:ab\n`);
    expect(read("capz-bootstrap.yaml")).toContain("https://github.com/someone/somewhere/releases/");
    expect(read("image.txt")).toBe(`${variables.IMAGE}@sha256:ab\n`);
  });

  test.each([
    ["the image has another placeholder", ":v1.0.0", ":v9.9.9"],
    ["a placeholder is left", "kind: Deployment", "kind: Deployment # of OWNER"],
  ])("ends the release where %s", (_, from, to) => {
    const place = prepared((text) => text.replace(from, to));
    expect(runStep(place, naming, variables).status).not.toBe(0);
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
    expect(runStep(place, sign, variables)).toMatchObject({ status: 0, stderr: "" });
    expect(runStep(place, signed).status).toBe(0);
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
    expect(runStep(place, sign, variables).status).toBe(1);
    expect(readdirSync(join(place, "temp"))).toEqual([]);
  });

  test("may be unsigned only where no package trusts a key", () => {
    const key = makeDevelopmentKey("x");
    expect(runStep(withKeys(key, [key.entry]), signed).status).toBe(1);
    expect(runStep(withKeys(key, []), signed).status).toBe(0);
  });
});
