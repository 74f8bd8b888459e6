import { expect, test } from "@jest/globals";
import { createWakeUp, type WakeUp } from "../../../../handler/check/looking/wake-up.ts";

/** A clock that stands still until a test moves it; its pauses end by their time or by their signal. */
function createClock() {
  let now = 0;
  const pauses: { readonly ms: number; readonly untilMs: number; end(): void }[] = [];
  return {
    pauses: () => pauses.map(({ ms }) => ms),
    host: {
      monotonicMs: () => now,
      sleep(ms: number, signal?: AbortSignal): Promise<void> {
        if (signal?.aborted === true) return Promise.resolve();
        return new Promise((resolve) => {
          const end = (): void => {
            pauses.splice(0, pauses.length, ...pauses.filter((pause) => pause.end !== end));
            resolve();
          };
          pauses.push({ ms, untilMs: now + ms, end });
          signal?.addEventListener("abort", end, { once: true });
        });
      },
    },
    pass(ms: number): void {
      now += ms;
      for (const { untilMs, end } of [...pauses]) if (untilMs <= now) end();
    },
  };
}

const never = new AbortController().signal;
const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Says "waits" where the wait has not ended by itself. */
async function stateOf(wait: Promise<string>): Promise<string> {
  await turns();
  return Promise.race([wait, Promise.resolve("waits")]);
}

/** Uses up all runs that may follow each other at once. */
async function exhaust(wakeUp: WakeUp): Promise<void> {
  for (let run = 0; run < 10; run += 1) {
    wakeUp.clear();
    const wait = wakeUp.wait(30_000, never);
    wakeUp.wake(false);
    expect(await wait).toBe("woken");
  }
  wakeUp.clear();
}

test("without a change the wait takes its time, and a change ends it at once", async () => {
  const { host, pauses, pass } = createClock();
  const wakeUp = createWakeUp(host);
  const first = wakeUp.wait(30_000, never);
  expect(pauses()).toEqual([30_000]);
  pass(30_000);
  expect(await first).toBe("due");
  const second = wakeUp.wait(30_000, never);
  wakeUp.wake(false);
  expect(await stateOf(second)).toBe("woken");
});

test("a change during a run lets the rest of it arrive, and the sentinel ends even that pause", async () => {
  const { host, pauses, pass } = createClock();
  const wakeUp = createWakeUp(host);
  wakeUp.wake(false);
  const settling = wakeUp.wait(30_000, never);
  wakeUp.wake(false);
  expect(await stateOf(settling)).toBe("waits");
  expect(pauses()).toEqual([10]);
  wakeUp.wake(true);
  expect(await stateOf(settling)).toBe("woken");
  wakeUp.clear();
  wakeUp.wake(false);
  const other = wakeUp.wait(30_000, never);
  pass(10);
  expect(await stateOf(other)).toBe("woken");
});

test("a sentinel that came during a run needs no pause, and an ordinary change after it takes nothing away", async () => {
  const { host, pauses } = createClock();
  const wakeUp = createWakeUp(host);
  wakeUp.wake(true);
  wakeUp.wake(false);
  const wait = wakeUp.wait(30_000, never);
  expect(pauses()).toEqual([]);
  expect(await stateOf(wait)).toBe("woken");
});

test("noise is held back after ten runs until a second has passed", async () => {
  const { host, pass } = createClock();
  const wakeUp = createWakeUp(host);
  await exhaust(wakeUp);
  const wait = wakeUp.wait(30_000, never);
  wakeUp.wake(false);
  expect(await stateOf(wait)).toBe("waits");
  wakeUp.wake(false);
  expect(await stateOf(wait)).toBe("waits");
  pass(1_000);
  expect(await stateOf(wait)).toBe("woken");
});

test("one more run is allowed for each second that passes, and no more, long after the start, too", async () => {
  const { host, pass } = createClock();
  pass(3_600_000);
  const wakeUp = createWakeUp(host);
  await exhaust(wakeUp);
  for (let round = 0; round < 3; round += 1) {
    const wait = wakeUp.wait(30_000, never);
    wakeUp.wake(false);
    expect(await stateOf(wait)).toBe("waits");
    pass(999);
    expect(await stateOf(wait)).toBe("waits");
    pass(1);
    expect(await stateOf(wait)).toBe("woken");
    wakeUp.clear();
  }
});

test("the sentinel is never held back, whether it comes before the pause or in it", async () => {
  const { host } = createClock();
  const wakeUp = createWakeUp(host);
  await exhaust(wakeUp);
  const wait = wakeUp.wait(30_000, never);
  wakeUp.wake(false);
  expect(await stateOf(wait)).toBe("waits");
  wakeUp.wake(true);
  expect(await stateOf(wait)).toBe("woken");
  wakeUp.clear();
  const next = wakeUp.wait(30_000, never);
  wakeUp.wake(true);
  expect(await stateOf(next)).toBe("woken");
});

test("what was cleared before a run is forgotten, and an interruption ends a wait", async () => {
  const { host, pauses } = createClock();
  const wakeUp = createWakeUp(host);
  wakeUp.wake(true);
  wakeUp.clear();
  const stop = new AbortController();
  const wait = wakeUp.wait(30_000, stop.signal);
  expect(pauses()).toEqual([30_000]);
  stop.abort();
  expect(await stateOf(wait)).toBe("due");
});
