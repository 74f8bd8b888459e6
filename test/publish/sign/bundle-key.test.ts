import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDevelopmentKey, makeDevelopmentKey, makeReleaseKey } from "../../../publish/sign/bundle-key.ts";
import { developmentKeys } from "../../../publish/trusted-keys.ts";

const tool = join(import.meta.dirname, "../../../publish/main.ts");

function run(folder: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", tool, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("a key for development is known for one under every name", () => {
  const { entry } = makeDevelopmentKey("mine");
  expect(entry.keyId).toBe("development-mine");
  expect(isDevelopmentKey("release-2026", entry.publicKey)).toBe(true);
  expect(entry.publicKey).toContain("MCowBQYDK2VwAyEAde");
  expect(developmentKeys(JSON.stringify([{ ...entry, keyId: "release-2026" }]))).toEqual(["release-2026"]);
});

test("a key for releases is none, unless its name says so", () => {
  const { entry } = makeReleaseKey("release-2026");
  expect(developmentKeys(JSON.stringify([entry]))).toEqual([]);
  expect(developmentKeys(JSON.stringify([{ ...entry, keyId: "development-x" }]))).toEqual(["development-x"]);
});

test("the list of the sources holds no key for development", () => {
  const list = readFileSync(join(import.meta.dirname, "../../../manifests/trusted-keys.json"), "utf8");
  expect(developmentKeys(list)).toEqual([]);
});

test("new-bundle-key writes the private half for its owner alone, and never over another key", () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-key-"));
  const made = run(folder, "new-bundle-key", "--key-id", "release-2026", "--out", "key.pem");
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(made.stdout)).toMatchObject({ keyId: "release-2026" });
  expect(statSync(join(folder, "key.pem")).mode & 0o777).toBe(0o600);
  const before = readFileSync(join(folder, "key.pem"), "utf8");
  expect(run(folder, "new-bundle-key", "--key-id", "other", "--out", "key.pem")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("key.pem: it is there already"),
  });
  expect(readFileSync(join(folder, "key.pem"), "utf8")).toBe(before);
});

test("what a new key signs is accepted with its entry, and with no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-key-"));
  writeFileSync(join(folder, "bundle.json"), "{}\n");
  const { stdout } = run(folder, "new-bundle-key", "--key-id", "release-2026", "--out", "key.pem");
  writeFileSync(join(folder, "keys.json"), `[${stdout}]`);
  expect(run(folder, "sign-bundle", ".", "--key", "key.pem", "--key-id", "release-2026").status).toBe(0);
  expect(run(folder, "verify-bundle", ".", "--trusted-keys", "keys.json").status).toBe(0);
  writeFileSync(join(folder, "keys.json"), JSON.stringify([makeReleaseKey("release-2026").entry]));
  expect(run(folder, "verify-bundle", ".", "--trusted-keys", "keys.json").status).toBe(1);
});
