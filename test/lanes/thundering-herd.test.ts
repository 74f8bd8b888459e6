import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../../handler/host.ts";
import { Secret } from "../../handler/settings/secret.ts";
import { embedBundle, makeBundle, obtainBundle, type MadeBundle } from "../support/bundle-maker.ts";
import { checkHost } from "../support/check-host.ts";
import { listen } from "../support/http-server.ts";

const handlers = 1000;
const bucketMs = 100;
/** A thousand handlers share this one process: their clock goes on by so much at a time, and waits while more of them ask. */
const tickMs = 2;
const mostAsking = 20;

const embedded = makeBundle({ version: "1.0.0" });
const wanted = makeBundle({ version: "1.1.0", check: "exit 0\n" });

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capz-herd-"));
  await embedBundle(join(folder, "program"), embedded);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("1,000 handlers that start in the same moment ask one bundle server at a peak of at most 3 times the mean rate", async () => {
  const herd = await startHerd({ failingTries: 0 });
  expect(herd.origins).toEqual(Array.from({ length: handlers }, () => "downloaded"));
  expectEvenly(herd.firstRequests);
}, 120_000);

test("1,000 handlers whose first try the server refuses (503) come back at a peak of at most 3 times the mean rate", async () => {
  const herd = await startHerd({ failingTries: 1 });
  expect(herd.origins).toEqual(Array.from({ length: handlers }, () => "downloaded"));
  expectEvenly(herd.firstRequests.slice(0, handlers));
  expectEvenly(herd.firstRequests.slice(handlers));
}, 120_000);

interface Herd {
  readonly origins: readonly string[];
  /** When bundle.json was asked for, in milliseconds of the handlers' clock, in order. */
  readonly firstRequests: readonly number[];
}

async function startHerd({ failingTries }: { readonly failingTries: number }): Promise<Herd> {
  const { host, run } = herdHost(checkHost());
  const firstRequests: number[] = [];
  const tries = new Map<string, number>();
  const server = await listen((request, response) => {
    const [, machine = "", name = ""] = (request.url ?? "").split("/");
    if (name !== "bundle.json") {
      response.end(contentOf(wanted, name));
      return;
    }
    firstRequests.push(host.monotonicMs());
    const tried = (tries.get(machine) ?? 0) + 1;
    tries.set(machine, tried);
    response.writeHead(tried <= failingTries ? 503 : 200).end(tried <= failingTries ? "" : wanted.manifest);
  });
  try {
    const name = `run-${String(failingTries)}`;
    const starts = Array.from({ length: handlers }, (_, index) =>
      obtain(host, { run: name, index, origin: server.origin }),
    );
    return { origins: await run(starts), firstRequests };
  } finally {
    await server.close();
  }
}

interface Sleeper {
  readonly due: number;
  wake(): void;
}

/**
 * The real host with a clock of the handlers' own, which stands until all of them wait for their first moment, and goes on no faster than
 * they do their work: a busy machine makes the herd slower, not closer together.
 */
function herdHost(real: Host) {
  let now = 0;
  let asking = 0;
  const sleepers = new Set<Sleeper>();
  const host: Host = {
    ...real,
    monotonicMs: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = { due: now + ms, wake };
        function wake(): void {
          sleepers.delete(sleeper);
          resolve();
        }
        if (signal?.aborted === true) resolve();
        else sleepers.add(sleeper);
        signal?.addEventListener("abort", wake, { once: true });
      }),
    fetch: async (input, init) => {
      asking++;
      try {
        return await real.fetch(input, init);
      } finally {
        asking--;
      }
    },
  };
  const run = async <Result>(all: readonly Promise<Result>[]): Promise<readonly Result[]> => {
    let left = all.length;
    const leave = (): void => {
      left--;
    };
    for (const one of all) void one.then(leave, leave);
    while (sleepers.size < handlers) await pause(5);
    while (left > 0) {
      await pause(1);
      if (asking > mostAsking) continue;
      now += tickMs;
      for (const sleeper of sleepers) if (sleeper.due <= now) sleeper.wake();
    }
    return Promise.all(all);
  };
  return { host, run };
}

function contentOf(bundle: MadeBundle, name: string): string {
  return bundle.files[name] ?? "";
}

async function obtain(
  host: Host,
  start: { readonly run: string; readonly index: number; readonly origin: string },
): Promise<string> {
  const root = join(folder, start.run, String(start.index));
  mkdirSync(root, { recursive: true });
  const { origin } = await obtainBundle(
    { ...host, root, programFolder: join(folder, "program") },
    {
      sha256: wanted.digest,
      baseUris: [new Secret(`${start.origin}/${String(start.index)}`)],
      required: true,
    },
    { vmId: `vm-${start.run}-${String(start.index)}`, remainingMs: 1_200_000 },
  );
  return origin;
}

/** Requests per tenth of a second: the most against the mean over the time in which they came. */
function expectEvenly(times: readonly number[]): void {
  expect(times).toHaveLength(handlers);
  const start = Math.min(...times);
  const spreadMs = Math.max(...times) - start;
  const buckets = new Map<number, number>();
  for (const time of times) {
    const bucket = Math.floor((time - start) / bucketMs);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
  }
  const mean = handlers / (spreadMs / bucketMs);
  process.stdout.write(
    `the most in a tenth of a second: ${(Math.max(...buckets.values()) / mean).toFixed(1)} times the mean, over ${(spreadMs / 1000).toFixed(1)} s\n`,
  );
  expect(Math.max(...buckets.values()) / mean).toBeLessThanOrEqual(3);
  // All in one moment would be even, too.
  expect(spreadMs).toBeGreaterThan(1500);
}
