import { KubeError } from "../kube/kube-error.ts";
import type { Writer } from "../kube/write.ts";
import {
  verdictObject,
  verdictObjectName,
  verdictResource,
  type ClusterReference,
  type VerdictRecord,
} from "../verdict/verdict-object.ts";
import type { ObjectPlace } from "../kube/resource.ts";
import type { Entry } from "./book.ts";
import type { Watched } from "./caches.ts";
import type { Metrics } from "./metrics.ts";
import { isWorthWriting } from "./worth-writing.ts";

export interface VerdictWriter {
  /** Writes the verdict object of a living Machine where it says something new. */
  write(watched: Watched, entry: Entry): Promise<void>;
  /** Writes the object of a Machine that is gone, from what is remembered. */
  writeGone(entry: Entry, cluster: ClusterReference): Promise<void>;
}

export function createVerdictWriter(writer: Writer, metrics: Metrics): VerdictWriter {
  const put = async (place: ObjectPlace, record: VerdictRecord, cluster: ClusterReference) =>
    writer.apply({ resource: verdictResource, place, body: verdictObject(place, record, cluster) });
  const apply = async (
    entry: Entry,
    place: ObjectPlace,
    made: { readonly record: VerdictRecord; readonly cluster: ClusterReference },
  ) => {
    const record = entry.tooLarge === true ? withoutEvidence(made.record) : made.record;
    if (!isWorthWriting(entry.stored?.record, record)) return;
    try {
      await put(place, record, made.cluster);
      metrics.writes.inc({ what: "verdict", result: "written" });
    } catch (error) {
      if (!isTooLarge(error) || entry.tooLarge === true) {
        metrics.writes.inc({ what: "verdict", result: "failed" });
        throw error;
      }
      // One object that the API server refuses must not hold up the rest of the truth: it goes without its evidence.
      entry.tooLarge = true;
      await apply(entry, place, made);
      metrics.writes.inc({ what: "verdict", result: "written-without-evidence" });
      return;
    }
    entry.stored = { place, record };
  };
  return {
    write: async ({ machine, cluster }, entry) => {
      const { state } = entry;
      if (state === undefined) return;
      const record: VerdictRecord = {
        cluster: cluster.name,
        machine: { name: machine.name, uid: machine.uid },
        owner: machine.owner.name === "" ? { kind: "Machine", name: machine.name } : machine.owner,
        ...state,
        ...(entry.mark === undefined ? {} : { mark: entry.mark }),
      };
      const place = { namespace: machine.namespace, name: verdictObjectName(machine) };
      await apply(entry, place, { record, cluster });
    },
    writeGone: async (entry, cluster) => {
      if (entry.stored === undefined || entry.machineGone === undefined) return;
      const record = { ...entry.stored.record, ...entry.state, machineGone: entry.machineGone };
      await apply(entry, entry.stored.place, { record, cluster });
    },
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 413 || error.status === 422);
}

function withoutEvidence(record: VerdictRecord): VerdictRecord {
  const { also, verdict, ...rest } = record;
  const bare = { evidence: [], timeline: [] };
  return {
    ...rest,
    verdict: { ...verdict, ...bare },
    ...(also === undefined ? {} : { also: { ...also, ...bare } }),
  };
}
