import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readScenarios } from "../../scripts/dev/read-scenarios.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scenarios-"));
  folder = join(root, "scenarios");
  for (const name of ["scenarios", "contents", "machines/k3s/etc"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "machines/k3s/etc/hostname"), "node\n");
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

const scenario = "what: A test.\nprovider: k3s\nstate: good\nhostname: node\nmachine: k3s\nexpected: []\n";

test("a file holds one scenario, named for the file, or several with names of their own", async () => {
  writeFileSync(join(folder, "b-alone.yaml"), scenario);
  writeFileSync(join(folder, "k3s.yaml"), `---\nname: c-second\n${scenario}\n---\nname: a-first\n${scenario}`);
  const scenarios = await readScenarios(folder);
  expect(scenarios.map(({ name }) => name)).toEqual(["a-first", "b-alone", "c-second"]);
  expect(scenarios[0]?.files).toEqual({ "etc/hostname": "node\n" });
});

test("two scenarios of one name are refused", async () => {
  writeFileSync(join(folder, "k3s.yaml"), `---\n${scenario}---\n${scenario}`);
  await expect(readScenarios(folder)).rejects.toThrow("two scenarios with the name k3s");
});

test("a file that is no YAML is refused by its name", async () => {
  writeFileSync(join(folder, "k3s.yaml"), `---\nname: c\n${scenario}---\nname: [\n`);
  await expect(readScenarios(folder)).rejects.toThrow(/^k3s\.yaml: /u);
});
