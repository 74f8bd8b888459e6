import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { obtainCheck } from "../../handler/check/obtain/obtain-check.ts";
import type { Host } from "../../handler/host.ts";
import { Secret } from "../../handler/settings/secret.ts";
import { embedBundle, makeBundle, type MadeBundle } from "../support/bundle-maker.ts";
import { checkHost, fastHost } from "../support/check-host.ts";
import { listen } from "../support/http-server.ts";

const handlers = 1000;
/** A thousand handlers share this one process: their clock runs at a fraction of the real one, so that it keeps up. */
const clockFactor = 0.25;
const bucketMs = 100;

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
  const host = fastHost(checkHost(), clockFactor);
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
    const run = `run-${String(failingTries)}`;
    const starts = Array.from({ length: handlers }, (_, index) => obtain(host, { run, index, origin: server.origin }));
    return { origins: await Promise.all(starts), firstRequests };
  } finally {
    await server.close();
  }
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
  const check = await obtainCheck({
    host: { ...host, root, programFolder: join(folder, "program") },
    workFolder: join(root, "work"),
    identity: { vmId: `vm-${start.run}-${String(start.index)}`, bootId: "boot" },
    handlerVersion: "1.0.0",
    deadline: { remainingMs: () => 1_200_000 },
    signal: new AbortController().signal,
    settings: {
      check: {
        kind: "bundle",
        version: undefined,
        sha256: wanted.digest,
        baseUris: [new Secret(`${start.origin}/${String(start.index)}`)],
        required: true,
      },
      storage: { kind: "anonymous" },
      proxy: undefined,
    },
  });
  return check.kind === "bundle" ? check.origin : check.kind;
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
  expect(Math.max(...buckets.values()) / mean).toBeLessThanOrEqual(3);
  // All in one moment would be even, too.
  expect(spreadMs).toBeGreaterThan(1500);
}
