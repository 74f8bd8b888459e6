import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changelogSection, renderNotes } from "../../publish/release-notes.ts";

const project = join(import.meta.dirname, "../..");
const changelog = `# Changelog

## [2.1.0] - 2026-12-01

### Fixed

- A bracketed heading.

## 2.0.0 - 2026-11-22

### Added

- The first line.
  It goes on here.

## 1.9.0 - 2026-01-01

## 1.8.0 (unreleased)

- Not yet.

[2.1.0]: https://example.com
`;

test("the section of a version is what stands between its heading and the next one", () => {
  expect(changelogSection(changelog, "2.0.0")).toBe("### Added\n\n- The first line.\n  It goes on here.");
  expect(changelogSection(changelog.replaceAll("\n", "\r\n"), "2.1.0")).toBe("### Fixed\n\n- A bracketed heading.");
});

test.each([
  ["a version that the changelog does not know", "2.0.1", /no section of the version 2\.0\.1/u],
  ["a version that is the beginning of another", "2.0", /no section of the version 2\.0\./u],
  ["a section without a word", "1.9.0", /section of 1\.9\.0 .* is empty/u],
  ["a section without the day of the release", "1.8.0", /has the heading "## 1\.8\.0 \(unreleased\)"/u],
])("%s is refused", (_, version, message) => {
  expect(() => changelogSection(changelog, version)).toThrow(message);
});

test("our own changelog has a section of the version that is being made", () => {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { readonly version: string };
  const dated = readFileSync(join(project, "CHANGELOG.md"), "utf8").replace(
    `## ${version} (unreleased)`,
    `## ${version} - 2026-12-01`,
  );
  expect(changelogSection(dated, version)).toMatch(/^### Added\n/u);
});

test("the notes name the image, the digest of the check bundle and every file", () => {
  const notes = renderNotes({
    section: "- A line.",
    image: "ghcr.io/o/i@sha256:ab",
    bundleDigest: "cd",
    files: [
      { name: "CAPZ.Linux.Bootstrapping-2.0.0.zip", sha256: "01" },
      { name: "capz-bootstrap.cjs", sha256: "02" },
    ],
  });
  expect(notes).toMatch(/^- A line\.\n/u);
  expect(notes).toContain("`ghcr.io/o/i@sha256:ab`");
  expect(notes).toContain("`checkSha256`: `cd`");
  expect(notes).not.toContain("attest");
  const attested = renderNotes({ section: "x", attestedBy: "o/r", files: [{ name: "a", sha256: "01" }] });
  expect(attested).toContain("each of them is attested");
  expect(attested).toContain("gh attestation verify FILE --repo o/r\n");
  expect(notes).toContain("| `CAPZ.Linux.Bootstrapping-2.0.0.zip` | package of the extension | `01` |");
  expect(notes).toContain("| `capz-bootstrap.cjs` | client in one file, for Node 22 and newer | `02` |");
});

test("the command prints them, and ends with 1 and one sentence where it cannot", () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-notes-"));
  writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  writeFileSync(join(folder, "bundle.json"), "{}");
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["--no-warnings", join(project, "publish/main.ts"), "notes", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  const good = run("2.0.0", "bundle.json", "--image", "r/i@sha256:ef");
  expect(good).toMatchObject({ status: 0, stderr: "" });
  expect(good.stdout).toMatch(/^### Added\n[\s\S]*r\/i@sha256:ef[\s\S]*checkSha256/u);
  expect(run("3.0.0")).toMatchObject({ status: 1, stderr: expect.stringContaining("no section of the version 3.0.0") });
});
