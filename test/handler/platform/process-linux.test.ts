import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { hasEnded, startTimeOf } from "../../../handler/platform/process-linux.ts";

/** proc_pid_stat(5) of this process from its third field on, with others in place of some: by their numbers in the manual page. */
function fieldsWith(changed: Readonly<Record<number, string>>): readonly string[] {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.map((field, index) => changed[index + 3] ?? field);
}

describe("a process of Linux", () => {
  test("that runs has a start time", () => {
    expect(startTimeOf(process.pid)).toMatch(/^\d+$/u);
    expect(hasEnded(fieldsWith({}))).toBe(false);
  });

  test.each([
    ["is a zombie", { 3: "Z" }],
    ["is dead", { 3: "X" }],
    ["was killed, and has had no processor since (SIGKILL is pending)", { 31: String(0x100) }],
    ["is being torn down (PF_EXITING)", { 9: String(0x400000 + 0x4) }],
  ])("that %s has ended", (_, changed) => {
    expect(hasEnded(fieldsWith(changed))).toBe(true);
  });

  test("that has another signal before it has not ended", () => {
    expect(hasEnded(fieldsWith({ 31: String(1 << 14) }))).toBe(false);
  });
});
