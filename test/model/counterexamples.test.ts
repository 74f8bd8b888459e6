import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCounterexamples } from "../support/counterexamples.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "counterexamples-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const [kept] = readCounterexamples().values();

function drop(file: string, content: unknown): void {
  writeFileSync(join(folder, file), JSON.stringify(content));
}

it("a history that is dropped into the folder is a counterexample beside those of a list", () => {
  drop("linux-kubeadm.json", [kept, { ...kept, name: "another" }]);
  drop("from-the-field.json", kept?.history);
  const read = readCounterexamples(folder);
  expect([...read.keys()].sort()).toEqual(["another", "from-the-field", kept?.name].sort());
  expect(read.get("from-the-field")?.history).toEqual(kept?.history);
});

it("a name that two have is refused", () => {
  drop("linux-kubeadm.json", [kept]);
  drop("linux-k3s.json", [kept]);
  expect(() => readCounterexamples(folder)).toThrow(/two counterexamples with the name/u);
});

it("every kept counterexample says what was wrong, and none is kept twice", () => {
  const all = [...readCounterexamples().values()];
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all.map(({ history }) => JSON.stringify(history))).size).toBe(all.length);
});
