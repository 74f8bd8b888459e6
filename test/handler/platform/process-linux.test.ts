import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { isSameProcess, stageOf, startTimeOf } from "../../../handler/platform/process-linux.ts";

/** proc_pid_stat(5) of this process from its third field on, with others in place of some: by their numbers in the manual page. */
function fieldsWith(changed: Readonly<Record<number, string>>): readonly string[] {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.map((field, index) => changed[index + 3] ?? field);
}

const killed = { 31: String(0x100) };
const tornDown = { 9: String(0x400000 + 0x4) };
const zombie = { 3: "Z" };

describe("a process of Linux", () => {
  test("that runs has a start time, and is the same as itself", async () => {
    const mark = startTimeOf(process.pid) ?? "";
    expect(mark).toMatch(/^\d+$/u);
    expect(stageOf(fieldsWith({}))).toBe("runs");
    expect(await isSameProcess(process.pid, mark)).toBe(true);
    expect(await isSameProcess(process.pid, `${mark}1`)).toBe(false);
  });

  test.each([
    ["is a zombie has ended", zombie, "ended"],
    ["is dead has ended", { 3: "X" }, "ended"],
    ["was killed, and has had no processor since (SIGKILL is pending), leaves", killed, "leaves"],
    ["is being torn down (PF_EXITING) leaves", tornDown, "leaves"],
    ["has another signal before it runs", { 31: String(1 << 14) }, "runs"],
  ])("that %s", (_, changed, stage) => {
    expect(stageOf(fieldsWith(changed))).toBe(stage);
  });
});

describe("a process that was killed", () => {
  const mark = fieldsWith({})[19] ?? "";

  test.each([
    ["it is a zombie", fieldsWith(zombie)],
    ["it has left the table", undefined],
    ["another one has its number", fieldsWith({ 22: "1" })],
  ])("is waited for until %s, and does not run then", async (_, last) => {
    const seen = [fieldsWith(killed), fieldsWith(tornDown), last];
    const read = (): readonly string[] | undefined => (seen.length > 1 ? seen.shift() : seen[0]);
    expect(await isSameProcess(process.pid, mark, { read, limitMs: 5000 })).toBe(false);
    expect(seen).toHaveLength(1);
  });

  test("that does not leave counts as ended after a time", async () => {
    let reads = 0;
    const read = (): readonly string[] => {
      reads += 1;
      return fieldsWith(killed);
    };
    expect(await isSameProcess(process.pid, mark, { read, limitMs: 60 })).toBe(false);
    expect(reads).toBeGreaterThan(2);
  });
});
