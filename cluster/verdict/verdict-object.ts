import { createHash } from "node:crypto";
import * as v from "valibot";
import { textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import { apiVersionOf, type ObjectPlace, type Resource } from "../kube/resource.ts";
import { accountSchema } from "./account.ts";
import type { VerdictState } from "./next-verdict.ts";

export const verdictResource: Resource = {
  group: "bootstrap.capz.io",
  version: "v1alpha1",
  plural: "bootstrapverdicts",
  kind: "BootstrapVerdict",
};

const moment = v.pipe(v.string(), v.isoTimestamp());
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(253));
const uid = v.pipe(v.string(), v.minLength(1), v.maxLength(64));

/** The fields of a BootstrapVerdict beside its metadata. They stand at the top: `clusterctl move` loses everything below `status`. */
export const recordSchema = v.object({
  /** Name of the Cluster. */
  cluster: name,
  machine: v.object({ name, uid }),
  /** What made the Machine and replaces it. */
  owner: v.object({ kind: v.pipe(v.string(), v.maxLength(63)), name }),
  verdict: accountSchema,
  /** What the other source said; kept so that the order in which both speak does not matter. */
  also: v.exactOptional(accountSchema),
  firstSeen: moment,
  lastSeen: moment,
  /** When and for which reason this program asked for a replacement, and when it withdrew that. */
  mark: v.exactOptional(
    v.object({ at: moment, reason: v.pipe(v.string(), v.maxLength(63)), withdrawn: v.exactOptional(moment) }),
  ),
  /** Since when the Machine is gone; the object is kept for a while after that. */
  machineGone: v.exactOptional(moment),
});

export type VerdictRecord = v.InferOutput<typeof recordSchema>;

/** A verdict object as the API server gave it. */
export interface StoredVerdict {
  readonly place: ObjectPlace;
  readonly uid: string;
  readonly record: VerdictRecord;
}

/** Undefined for an object that this version cannot read; it is then written anew. */
export function readVerdictObject(object: unknown): StoredVerdict | undefined {
  if (!isJsonObject(object) || !isJsonObject(object["metadata"])) return undefined;
  const { metadata } = object;
  const parsed = v.safeParse(recordSchema, object);
  if (!parsed.success) return undefined;
  return {
    place: { namespace: textOf(metadata["namespace"]) ?? "", name: textOf(metadata["name"]) ?? "" },
    uid: textOf(metadata["uid"]) ?? "",
    record: parsed.output,
  };
}

export function stateOf({ verdict, also, firstSeen, lastSeen }: VerdictRecord): VerdictState {
  return { verdict, ...(also === undefined ? {} : { also }), firstSeen, lastSeen };
}

/** One object for each Machine that ever was: the name holds a digest of the uid, so that a namesake gets one of its own. */
export function verdictObjectName(machine: { readonly name: string; readonly uid: string }): string {
  const digest = createHash("sha256").update(machine.uid).digest("hex").slice(0, 8);
  return `${machine.name.slice(0, 240)}-${digest}`;
}

export interface ClusterReference {
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The body of a server-side apply. Owned by the Cluster, so that it goes with the cluster and along with `clusterctl move`; without
 * blockOwnerDeletion, which would need a right on the finalizers of Clusters.
 */
export function verdictObject(
  place: ObjectPlace,
  record: VerdictRecord,
  cluster: ClusterReference,
): Readonly<Record<string, unknown>> {
  return {
    apiVersion: apiVersionOf(verdictResource),
    kind: verdictResource.kind,
    metadata: {
      ...place,
      labels: { "cluster.x-k8s.io/cluster-name": record.cluster, "bootstrap.capz.io/outcome": record.verdict.outcome },
      ownerReferences: [{ apiVersion: cluster.apiVersion, kind: "Cluster", name: cluster.name, uid: cluster.uid }],
    },
    ...record,
  };
}
