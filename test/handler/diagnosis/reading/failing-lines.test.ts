import { expect, test } from "@jest/globals";
import { FailingLines } from "../../../../handler/diagnosis/reading/failing-lines.ts";

const uncut = { start: false, end: false };

function keep(...texts: readonly string[]): FailingLines {
  const lines = new FailingLines();
  for (const [index, text] of texts.entries())
    lines.add(1, text, { bytes: Buffer.from(text), line: index + 1, cut: uncut });
  return lines;
}

test("a line that was cut behind its first words is the line that it begins as, and says where that was seen last", () => {
  const whole = 'made-up endpoint watcher failed: Get "https://10.1.0.9:6443/api/v1/made-up": connection refused';
  const [kept, ...others] = keep(whole, 'made-up endpoint watcher failed: Get "https:').all();
  expect(others).toEqual([]);
  expect(kept).toMatchObject({ line: 1, firstLine: 1, lastLine: 2, count: 2 });
  expect(kept?.bytes.toString()).toBe(whole);
});

test("a line too short to tell is a line of its own", () => {
  expect(keep("made-up watcher failed: refused", "made-up watcher").all()).toHaveLength(2);
});

test("of two whole lines of one message the last one is kept", () => {
  const [kept] = keep(
    "made-up watcher 1 failed for good in this place",
    "made-up watcher 2 failed for good in this place",
  ).all();
  expect(kept?.bytes.toString()).toContain("watcher 2");
});
