import { describe, expect, test } from "@jest/globals";
import { createBook } from "../../../cluster/controller/book.ts";
import type { Caches } from "../../../cluster/controller/caches.ts";
import { createMetrics } from "../../../cluster/controller/metrics.ts";
import { sweep } from "../../../cluster/controller/sweep.ts";
import { createVerdictWriter } from "../../../cluster/controller/verdict-writer.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { KubeError } from "../../../cluster/kube/kube-error.ts";
import type { Writer } from "../../../cluster/kube/write.ts";
import { readCluster } from "../../../cluster/objects/read-objects.ts";
import { clusterObject } from "../../../scripts/dev/start/cluster-objects.ts";
import { account, at } from "../support/accounts.ts";

/** Verdicts of `count` Machines that went one hour after the other; the API server refuses to write of `refused`. */
async function swept(limits: { readonly keptPerOwner: number; readonly keepMs: number }, refused?: string) {
  const book = createBook();
  for (let n = 0; n < 5; n += 1)
    book.remember({
      place: { namespace: "default", name: `v-${String(n)}` },
      uid: `object-${String(n)}`,
      record: {
        cluster: "c1",
        machine: { name: `m-${String(n)}`, uid: `m-${String(n)}` },
        owner: { kind: "MachineDeployment", name: "md-0" },
        verdict: account(),
        firstSeen: at(0),
        lastSeen: at(0),
        ...(n === 0 ? {} : { machineGone: at(n * 3600) }),
      },
    });
  const removed: string[] = [];
  const noted: string[] = [];
  const check = (name: string) => {
    if (name === refused) throw new KubeError(`${name} is refused`, { status: 403 });
  };
  const writer: Writer = {
    apply: async ({ place }) => {
      check(place.name);
      noted.push(place.name);
      return Promise.resolve({});
    },
    merge: () => Promise.resolve({}),
    create: () => Promise.resolve(true),
    remove: async (_, place, uid) => {
      check(place.name);
      removed.push(`${place.name} ${uid}`);
      return Promise.resolve(true);
    },
  };
  const cluster = readCluster(clusterObject("c1"));
  const empty = { get: () => undefined, values: () => new Map<string, never>().values() };
  const caches: Caches = {
    clusters: { get: () => cluster, values: () => new Map<string, never>().values() },
    machines: empty,
    azureMachines: empty,
    poolMachines: empty,
    pools: empty,
    verdicts: empty,
  };
  const failure = await sweep({
    caches,
    book,
    writer,
    verdicts: createVerdictWriter(writer, createMetrics()),
    limits,
    world: { ...createWorld(), now: () => at(5 * 3600) },
  }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { removed, noted, failure };
}

describe("sweep", () => {
  test("keeps the newest of one owner, notes who is gone, and removes the others by the uid of their object", async () => {
    const { removed, noted, failure } = await swept({ keptPerOwner: 3, keepMs: 86_400_000 });
    expect(removed).toEqual(["v-2 object-2", "v-1 object-1"]);
    expect(noted).toEqual(["v-0"]);
    expect(failure).toBeUndefined();
  });

  test("removes what has been kept long enough", async () => {
    const { removed } = await swept({ keptPerOwner: 50, keepMs: 3 * 3_600_000 });
    expect(removed.toSorted()).toEqual(["v-1 object-1", "v-2 object-2"]);
  });

  test.each(["v-0", "v-2"])("goes on past %s that cannot be written, and says so at the end", async (refused) => {
    const { removed, failure } = await swept({ keptPerOwner: 2, keepMs: 86_400_000 }, refused);
    expect(removed).toContain("v-1 object-1");
    expect(failure).toBe(`${refused} is refused`);
  });
});
