import { describe, expect, test } from "@jest/globals";
import { createBook, type Entry } from "../../../cluster/controller/book.ts";
import type { Watched } from "../../../cluster/controller/caches.ts";
import { createMetrics } from "../../../cluster/controller/metrics.ts";
import { createVerdictWriter } from "../../../cluster/controller/verdict-writer.ts";
import { KubeError } from "../../../cluster/kube/kube-error.ts";
import type { Writer, Writing } from "../../../cluster/kube/write.ts";
import { readCluster, readMachine } from "../../../cluster/objects/read-objects.ts";
import type { VerdictRecord } from "../../../cluster/verdict/verdict-object.ts";
import { clusterObject, machineObject } from "../../../scripts/dev/start/cluster-objects.ts";
import { account, at } from "../support/accounts.ts";

const evidence = [{ origin: "/var/log/cloud-init-output.log", text: "no such host" }];

/** A writer whose API server refuses an object with evidence, and a Machine of which something is known. */
function opened(refusal?: KubeError) {
  const cluster = readCluster(clusterObject("c1"));
  const machine = readMachine({ ...machineObject({ cluster: "c1", name: "md-0-a" }) });
  if (cluster === undefined || machine === undefined) throw new Error("the objects cannot be read");
  const watched: Watched = { cluster: { ...cluster, uid: "cluster-uid" }, machine: { ...machine, uid: "m-1" } };
  const book = createBook();
  book.hear("m-1", account({ evidence }), { now: at(0), monotonicMs: 0 });
  const entry = book.get("m-1");
  if (entry === undefined) throw new Error("nothing was heard");
  const written: Writing[] = [];
  const unused = () => Promise.reject(new Error("not used here"));
  const writer: Writer = {
    apply: (writing) => {
      written.push(writing);
      const hasEvidence = JSON.stringify(writing.body).includes("no such host");
      return refusal !== undefined && hasEvidence ? Promise.reject(refusal) : Promise.resolve({});
    },
    merge: unused,
    create: unused,
    remove: unused,
  };
  return { book, entry, watched, written, verdicts: createVerdictWriter(writer, createMetrics()) };
}

/** The watch brings the object as the API server has it. */
function echo(entry: Entry): VerdictRecord {
  if (entry.stored === undefined) throw new Error("nothing is stored");
  return JSON.parse(JSON.stringify(entry.stored.record)) as VerdictRecord;
}

describe("the writer of verdict objects", () => {
  test("makes the Cluster the owner, and asks for no right on its finalizers", async () => {
    const { entry, watched, written, verdicts } = opened();
    await verdicts.write(watched, entry);
    const { ownerReferences } = written[0]?.body["metadata"] as { readonly ownerReferences: readonly unknown[] };
    expect(ownerReferences).toEqual([
      { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "cluster-uid" },
    ]);
    expect(JSON.stringify(written)).not.toMatch(/blockOwnerDeletion|finalizers/u);
  });

  test.each([413, 422])(
    "writes a verdict without its evidence where the API server refuses it with %d, and does not offer it again",
    async (status) => {
      const { book, entry, watched, written, verdicts } = opened(new KubeError("too large", { status }));
      await verdicts.write(watched, entry);
      expect(written).toHaveLength(2);
      expect(written[1]?.body["verdict"]).toMatchObject({ reason: "DnsResolutionFailed", evidence: [], timeline: [] });
      book.remember({ place: { namespace: "default", name: "x" }, uid: "o", record: echo(entry) });
      await verdicts.write(watched, entry);
      expect(written).toHaveLength(2);
    },
  );

  test.each([403, 500, 0])("does not take %d for an object that is too large", async (status) => {
    const { entry, watched, written, verdicts } = opened(new KubeError("refused", { status }));
    await expect(verdicts.write(watched, entry)).rejects.toThrow("refused");
    expect(written).toHaveLength(1);
    expect(entry.stored).toBeUndefined();
  });

  test("writes nothing where only the time of the last look differs", async () => {
    const { book, entry, watched, written, verdicts } = opened();
    await verdicts.write(watched, entry);
    for (const seconds of [60, 3600, 86_400]) {
      book.hear("m-1", account({ evidence }), { now: at(seconds), monotonicMs: 0 });
      await verdicts.write(watched, entry);
    }
    expect(written).toHaveLength(1);
  });
});
