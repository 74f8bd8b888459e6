import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createTerminal, wrap } from "../../../scripts/dev/start/terminal.ts";

const start = join(import.meta.dirname, "../../../scripts/dev/start.ts");

function outputOf(columns: number | undefined, show: (terminal: ReturnType<typeof createTerminal>) => void): string {
  let text = "";
  const output = { isTTY: columns !== undefined, columns: columns ?? 0, write: (part: string) => (text += part) };
  show(createTerminal(output));
  return text;
}

test("a line is wrapped at blanks, behind the bar that it begins with, and loses nothing", () => {
  const line = "  | Next: Correct the DNS of the virtual network: test with nslookup on the node.";
  const lines = wrap(line, 40);
  expect(lines.every((text) => text.length <= 40 && text.startsWith("  | "))).toBe(true);
  expect(lines.map((text) => text.slice(4)).join(" ")).toBe(line.slice(4));
  expect(wrap("x".repeat(50), 40)).toEqual(["x".repeat(50)]);
});

test("without a terminal a line stays as it is, without colour", () => {
  const line = `${"word ".repeat(40)}end`;
  expect(
    outputOf(undefined, ({ sayColoured }) => {
      sayColoured("red", line);
    }),
  ).toBe(`${line}\n`);
});

test("a terminal gets colour and its own width", () => {
  const text = outputOf(50, ({ sayColoured }) => {
    sayColoured("red", "word ".repeat(40).trim());
  });
  expect(text).toContain("\u001B[31m");
  expect(text.trim().split("\n").length).toBeGreaterThan(3);
});

test.each([
  ["a mistyped scenario", ["--scenario", "clnoed"], 'There is no scenario "clnoed". Did you mean "cloned"?'],
  // All that --help lists.
  ["no scenario at all", ["--scenario", "nope"], /Scenarios: all, bootstrapped, .*, cluster\.$/mu],
  ["an unknown option", ["--nope"], "unknown option '--nope'"],
])("%s is one sentence with what to do, not a stack trace", (_, args, words) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--no-warnings", start, ...args], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
});
