import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject, type JsonObject } from "../../handler/text/parse-json.ts";
import { conditionTypes, type Condition } from "../telling/conditions.ts";
import type { Account } from "../verdict/account.ts";
import { capzTurn, readCapzObject } from "../verdict/read-capz.ts";
import type { InfraObject, KnownMachine, PoolObject, WatchedCluster } from "./objects.ts";

const labels = {
  watch: "bootstrap.capz.io/watch",
  heal: "bootstrap.capz.io/heal",
  cluster: "cluster.x-k8s.io/cluster-name",
  controlPlane: "cluster.x-k8s.io/control-plane",
  deployment: "cluster.x-k8s.io/deployment-name",
} as const;
export const remediateAnnotation = "cluster.x-k8s.io/remediate-machine";
const pausedAnnotation = "cluster.x-k8s.io/paused";

export function readCluster(object: unknown): WatchedCluster | undefined {
  const meta = metadataOf(object);
  if (meta === undefined || !isJsonObject(object)) return undefined;
  const status = objectOf(object["status"]);
  const heal = textOf(meta.labels[labels.heal]);
  const watch = textOf(meta.labels[labels.watch]);
  return {
    namespace: meta.namespace,
    name: meta.name,
    uid: meta.uid,
    apiVersion: textOf(object["apiVersion"]) ?? "",
    watched: watch === "true",
    unknownWatch: watch === "true" || watch === "false" ? undefined : watch,
    heal: heal === "condition" || heal === "annotate" ? heal : "none",
    unknownHeal: heal !== undefined && heal !== "condition" && heal !== "annotate" ? heal : undefined,
    paused: objectOf(object["spec"])["paused"] === true || pausedAnnotation in meta.annotations,
    initialized: isInitialized(status),
  };
}

/** API v1beta2 has a field; v1beta1 has a condition, which version 1.11 keeps below `deprecated`. */
function isInitialized(status: JsonObject): boolean {
  if (objectOf(status["initialization"])["controlPlaneInitialized"] === true) return true;
  const holders = [status, objectOf(status["v1beta2"]), objectOf(objectOf(status["deprecated"])["v1beta1"])];
  return holders
    .flatMap((holder) => listOf(holder["conditions"]))
    .filter(isJsonObject)
    .some(({ type, status: value }) => type === "ControlPlaneInitialized" && value === "True");
}

export function readMachine(object: unknown): KnownMachine | undefined {
  const meta = metadataOf(object);
  if (meta === undefined || !isJsonObject(object)) return undefined;
  const spec = objectOf(object["spec"]);
  const status = objectOf(object["status"]);
  const infra = objectOf(spec["infrastructureRef"]);
  return {
    namespace: meta.namespace,
    name: meta.name,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    cluster: textOf(spec["clusterName"]) ?? textOf(meta.labels[labels.cluster]) ?? "",
    controlPlane: labels.controlPlane in meta.labels,
    owner: ownerOf(meta),
    deleting: meta.deleting,
    paused: pausedAnnotation in meta.annotations,
    hasNode: isJsonObject(status["nodeRef"]),
    providerId: textOf(spec["providerID"]),
    infra: { kind: textOf(infra["kind"]) ?? "", name: textOf(infra["name"]) ?? "" },
    conditions: [...listOf(status["conditions"]), ...listOf(objectOf(status["v1beta2"])["conditions"])].flatMap(
      ourCondition,
    ),
    remediate: textOf(meta.annotations[remediateAnnotation]),
  };
}

function ownerOf({ owners, labels: set }: Metadata): KnownMachine["owner"] {
  const owner = owners.find(({ controller }) => controller) ?? owners[0];
  const deployment = textOf(set[labels.deployment]);
  if (owner?.kind === "MachineSet" && deployment !== undefined) return { kind: "MachineDeployment", name: deployment };
  return owner === undefined ? { kind: "Machine", name: "" } : { kind: owner.kind, name: owner.name };
}

function ourCondition(value: unknown): readonly Condition[] {
  if (!isJsonObject(value)) return [];
  const { type, status } = value;
  if (type !== conditionTypes.succeeded && type !== conditionTypes.remediation) return [];
  if (status !== "True" && status !== "False" && status !== "Unknown") return [];
  const [reason, message, lastTransitionTime] = ["reason", "message", "lastTransitionTime"].map(
    (key) => textOf(value[key]) ?? "",
  );
  return [{ type, status, reason: reason ?? "", message: message ?? "", lastTransitionTime: lastTransitionTime ?? "" }];
}

/** An AzureMachine or an AzureMachinePoolMachine, with what CAPZ says of the bootstrap in it at this moment. */
export function readInfra(object: unknown, now: string): InfraObject | undefined {
  const meta = metadataOf(object);
  if (meta === undefined || !isJsonObject(object)) return undefined;
  const pool = meta.owners.find(({ kind }) => kind === "AzureMachinePool")?.name;
  const words: Account | undefined = readCapzObject(object, now);
  const turn = capzTurn(object);
  return {
    namespace: meta.namespace,
    name: meta.name,
    uid: meta.uid,
    providerId: textOf(objectOf(object["spec"])["providerID"]),
    ...(pool === undefined ? {} : { pool }),
    ...(words === undefined ? {} : { words }),
    ...(turn === undefined ? {} : { turn }),
  };
}

export function readPool(object: unknown): PoolObject | undefined {
  const meta = metadataOf(object);
  if (meta === undefined || !isJsonObject(object)) return undefined;
  const spec = objectOf(object["spec"]);
  const flexible = spec["orchestrationMode"] === "Flexible";
  return { scaleSetId: flexible ? textOf(spec["providerID"]) : undefined };
}

interface Metadata {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly controller: boolean }[];
}

function metadataOf(object: unknown): Metadata | undefined {
  if (!isJsonObject(object) || !isJsonObject(object["metadata"])) return undefined;
  const { metadata } = object;
  const name = textOf(metadata["name"]);
  if (name === undefined) return undefined;
  return {
    namespace: textOf(metadata["namespace"]) ?? "",
    name,
    uid: textOf(metadata["uid"]) ?? "",
    resourceVersion: textOf(metadata["resourceVersion"]) ?? "",
    deleting: metadata["deletionTimestamp"] !== undefined,
    labels: objectOf(metadata["labels"]),
    annotations: objectOf(metadata["annotations"]),
    owners: listOf(metadata["ownerReferences"])
      .filter(isJsonObject)
      .map((owner) => ({
        kind: textOf(owner["kind"]) ?? "",
        name: textOf(owner["name"]) ?? "",
        controller: owner["controller"] === true,
      })),
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
