import { expect, test } from "@jest/globals";
import { appendFileSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { watchLogs } from "../../../../handler/check/looking/watch-logs.ts";
import { waitUntil } from "../../../support/wait-until.ts";

interface Nap {
  readonly ms: number;
  wake(): void;
}

/** Real files and real events; only the pauses are the test's to end. */
function watched() {
  const folder = mkdtempSync(join(tmpdir(), "capz-watch-logs-"));
  const log = join(folder, "cloudbase-init.log");
  const naps: Nap[] = [];
  let calls = 0;
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => {
        resolve();
      });
      naps.push({ ms, wake: resolve });
    });
  const end = watchLogs({ sleep }, [log], () => {
    calls += 1;
  });
  return { folder, log, naps, end, calls: () => calls };
}

const asleep = ({ naps }: { readonly naps: readonly Nap[] }, count: number) =>
  waitUntil(`pause ${String(count)}`, () => naps.length === count, { everyMs: 5 });

test("a log that is written and then rests is told once; while it is written on, it is not told", async () => {
  const seen = watched();
  writeFileSync(seen.log, "one\n");
  await asleep(seen, 1);
  appendFileSync(seen.log, "two\n");
  await pause(50);
  seen.naps[0]?.wake();
  await asleep(seen, 2);
  expect(seen.calls()).toBe(0);
  seen.naps[1]?.wake();
  await asleep(seen, 3);
  expect(seen.calls()).toBe(1);
  seen.end();
});

test("what is written soon after it was told waits for its turn, and then is told", async () => {
  const seen = watched();
  writeFileSync(seen.log, "one\n");
  await asleep(seen, 1);
  await pause(50);
  seen.naps[0]?.wake();
  await asleep(seen, 2);
  // Creating and writing are events of their own: one more pause may have seen the second.
  for (let at = 1; seen.calls() === 0; at++) {
    seen.naps[at]?.wake();
    await asleep(seen, at + 2);
  }
  const spacing = seen.naps.at(-1);
  expect(spacing?.ms).toBeGreaterThanOrEqual(1000);
  appendFileSync(seen.log, "two\n");
  await pause(50);
  expect(seen.calls()).toBe(1);
  const before = seen.naps.length;
  spacing?.wake();
  await asleep(seen, before + 1);
  seen.naps.at(-1)?.wake();
  await waitUntil("the second call", () => seen.calls() === 2, { everyMs: 5 });
  seen.end();
});

test("another file of the same folder is not told, a log that takes the place of the old one is; nothing after the end", async () => {
  const seen = watched();
  writeFileSync(join(seen.folder, "other.log"), "one\n");
  await pause(50);
  expect(seen.naps).toEqual([]);
  renameSync(join(seen.folder, "other.log"), seen.log);
  await asleep(seen, 1);
  seen.end();
  await pause(20);
  expect(seen.calls()).toBe(0);
});
