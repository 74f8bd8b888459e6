import { expect, test } from "@jest/globals";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  let clock = 0;
  const watch = watchLogs({ sleep, monotonicMs: () => clock }, [log], () => {
    calls += 1;
  });
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { folder, log, naps, pass, end: watch.close, renew: watch.renew, calls: () => calls };
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
  await waitUntil("the call", () => seen.calls() === 1, { everyMs: 5 });
  seen.end();
});

const distance = 1000;

/** One breath of the log: written, left alone, told. Gives the pause for the distance to the next one, if there is one. */
async function breath(seen: ReturnType<typeof watched>): Promise<Nap | undefined> {
  const calls = seen.calls();
  appendFileSync(seen.log, "more\n");
  const told = (): boolean => {
    for (const nap of seen.naps) if (nap.ms < distance) nap.wake();
    return seen.calls() > calls;
  };
  await waitUntil("the log to be told", told, { everyMs: 20 });
  await pause(20);
  const newest = seen.naps.at(-1);
  return newest !== undefined && newest.ms >= distance ? newest : undefined;
}

test("last words in several breaths are told one after the other; a log that talks on is told at a distance", async () => {
  const seen = watched();
  expect(await breath(seen)).toBeUndefined();
  expect(await breath(seen)).toBeUndefined();
  let spacing: Nap | undefined;
  for (let more = 0; spacing === undefined && more < 4; more++) spacing = await breath(seen);
  expect(spacing).toBeDefined();
  const { length } = seen.naps;
  appendFileSync(seen.log, "soon after\n");
  await pause(50);
  expect(seen.naps).toHaveLength(length);
  // The pause for the distance gives nothing to spare.
  seen.pass(60_000);
  spacing?.wake();
  const next = await breath(seen);
  expect(next).toBeDefined();
  next?.wake();
  await pause(20);
  // Half of the time that fills one; then more than all need.
  seen.pass(1000);
  const last = await breath(seen);
  expect(last).toBeDefined();
  last?.wake();
  await pause(20);
  seen.pass(60_000);
  expect(await breath(seen)).toBeUndefined();
  seen.end();
});

test("a watch whose folder was taken away under it is attached to the new one", async () => {
  const seen = watched();
  rmSync(seen.folder, { recursive: true });
  await pause(50);
  mkdirSync(seen.folder);
  seen.renew();
  const naps = seen.naps.length;
  writeFileSync(seen.log, "one\n");
  await waitUntil("the new log to be seen", () => seen.naps.length > naps, { everyMs: 5 });
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
