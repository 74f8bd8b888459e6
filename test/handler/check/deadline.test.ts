import { expect, test } from "@jest/globals";
import { startDeadline, type DeadlineRecord } from "../../../handler/check/deadline.ts";

/** A clock that moves only when told, and sleepers that wake by it. */
function handClock(start = 1000) {
  let now = start;
  let sleepers: { readonly at: number; wake(): void }[] = [];
  return {
    monotonicMs: () => now,
    /** As after a restored snapshot. */
    turnBack(ms: number) {
      now -= ms;
    },
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        signal?.addEventListener("abort", () => {
          resolve();
        });
      }),
    async advance(ms: number) {
      await settle();
      for (let left = ms; left > 0; left -= 1000) {
        now += Math.min(left, 1000);
        const due = sleepers.filter(({ at }) => at <= now);
        sleepers = sleepers.filter(({ at }) => at > now);
        for (const sleeper of due) sleeper.wake();
        await settle();
      }
    },
  };
}

/** Lets everything that waits only for promises go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

function start(
  clock: ReturnType<typeof handClock>,
  stored?: DeadlineRecord,
  { bootId = "boot-1", budgetMs = 60_000 }: { readonly bootId?: string; readonly budgetMs?: number } = {},
) {
  const records: DeadlineRecord[] = [];
  const deadline = startDeadline({
    host: clock,
    budgetMs,
    bootId,
    stored,
    persist: (record) => {
      records.push(record);
      return Promise.resolve();
    },
  });
  return { deadline, records };
}

test("startDeadline() aborts its signal when the budget is used up, not before", async () => {
  const clock = handClock();
  const { deadline } = start(clock);
  await clock.advance(59_000);
  expect([deadline.signal.aborted, deadline.remainingMs()]).toEqual([false, 1000]);
  await clock.advance(1000);
  expect([deadline.signal.aborted, deadline.remainingMs()]).toEqual([true, 0]);
});

test.each([
  ["of a quick boot", 5],
  ["that had been up for long", 500_000],
])(
  "a reboot does not restart the budget, and the time the machine was off does not count: by a clock %s",
  async (_, up) => {
    const before = handClock();
    const first = start(before);
    await before.advance(40_000);
    await first.deadline.close();
    const after = handClock(up);
    const { deadline } = start(after, first.records.at(-1), { bootId: "boot-2" });
    expect(deadline.remainingMs()).toBe(20_000);
    await after.advance(20_000);
    expect(deadline.signal.aborted).toBe(true);
  },
);

test("after a crash in the same boot the time without a supervisor counts", async () => {
  const clock = handClock();
  const first = start(clock);
  await clock.advance(14_000);
  // Killed without a word: the last record is of the beginning, and the clock of the boot has gone on.
  const stored = first.records.at(-1);
  expect(stored?.usedMs).toBe(0);
  await clock.advance(16_000);
  expect(start(clock, stored).deadline.remainingMs()).toBe(30_000);
});

test("a power cut gives back fifteen seconds at most", async () => {
  const clock = handClock();
  const first = start(clock, undefined, { budgetMs: 200_000 });
  await clock.advance(119_000);
  const stored = first.records.at(-1);
  expect(stored?.usedMs).toBe(105_000);
  expect(start(handClock(5), stored, { bootId: "boot-2", budgetMs: 200_000 }).deadline.remainingMs()).toBe(95_000);
});

test("a disk that refuses the record does not end the wait", async () => {
  const clock = handClock();
  const deadline = startDeadline({
    host: clock,
    budgetMs: 30_000,
    bootId: "b",
    stored: undefined,
    persist: () => Promise.reject(new Error("ENOSPC")),
  });
  await clock.advance(30_000);
  expect(deadline.signal.aborted).toBe(true);
});

test("what is used is kept every fifteen seconds and at the end, by the boot's own clock, and behind it nothing", async () => {
  const clock = handClock(1000.4);
  const { deadline, records } = start(clock);
  expect(deadline.budgetMs).toBe(60_000);
  await clock.advance(50_000);
  expect(records).toEqual(
    [0, 15_000, 30_000, 45_000].map((usedMs) => ({ usedMs, bootId: "boot-1", atMonotonicMs: 1000.4 + usedMs })),
  );
  await deadline.close();
  expect(records.slice(4)).toEqual([{ usedMs: 50_000, bootId: "boot-1", atMonotonicMs: 51_000.4 }]);
  await clock.advance(60_000);
  expect([records.length, deadline.signal.aborted]).toEqual([5, false]);
});

test("a clock that goes back counts as no time, while the wait lasts and over a restart", async () => {
  const clock = handClock(100_000);
  const { deadline } = start(clock);
  await clock.advance(10_000);
  clock.turnBack(50_000);
  expect([deadline.elapsedMs(), deadline.remainingMs()]).toEqual([0, 60_000]);
  const stored = { usedMs: 20_000, bootId: "boot-1", atMonotonicMs: 90_000 };
  expect(start(clock, stored).deadline.elapsedMs()).toBe(20_000);
});

test("a budget that is used up already aborts at once, keeps nothing, and never counts below nothing", async () => {
  const clock = handClock();
  const { deadline, records } = start(clock, { usedMs: 75_000, bootId: "boot-1", atMonotonicMs: 1000 });
  await settle();
  expect([deadline.signal.aborted, deadline.remainingMs(), deadline.elapsedMs()]).toEqual([true, 0, 75_000]);
  expect(records).toEqual([]);
});
