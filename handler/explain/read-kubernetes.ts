import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import type { FoundStatus } from "./explanation.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { listOf, textOf } from "./json-fields.ts";
import { objectSituation, type Condition } from "./object-situation.ts";
import { readKeptVerdict } from "./read-kept-verdict.ts";
import type { Subject } from "./situation.ts";

export interface KubernetesReading {
  readonly recognised: string;
  readonly found: readonly FoundStatus[];
}

/** Any object that `kubectl get -o yaml` prints, and lists of them. */
export function readKubernetes(value: unknown): KubernetesReading | undefined {
  if (!isJsonObject(value) || textOf(value["kind"]) === undefined || textOf(value["apiVersion"]) === undefined)
    return undefined;
  const kind = textOf(value["kind"]) ?? "";
  if (Array.isArray(value["items"])) {
    const readings = value["items"].map(readKubernetes).filter((reading) => reading !== undefined);
    const found = readings.flatMap((reading) => reading.found);
    return { recognised: `list of ${String(readings.length)} objects`, found: withoutIdleEvents(found) };
  }
  return {
    recognised: kind,
    found: [readKeptVerdict(value) ?? (kind === "Event" ? readEvent(value) : readObject(kind, value))],
  };
}

/** Most events of a cluster are about something else. */
function withoutIdleEvents(found: readonly FoundStatus[]): readonly FoundStatus[] {
  const telling = found.filter(({ from, message }) => !from.startsWith("Event ") || isTelling(message));
  return telling.length === 0 ? found.slice(0, 1) : telling;
}

function isTelling(message: string): boolean {
  return (
    findVerdictText(message) !== undefined || findAzureError(message) !== undefined || isPlainScriptFailure(message)
  );
}

function readEvent(value: JsonObject): FoundStatus {
  const about = [value["involvedObject"], value["regarding"]].find(isJsonObject) ?? {};
  const machine = textOf(about["name"]);
  return {
    ...(machine === undefined ? {} : { machine }),
    from: `Event ${textOf(value["reason"]) ?? "without a reason"} of ${textOf(about["kind"]) ?? "an object"}`,
    message: textOf(value["message"]) ?? textOf(value["note"]) ?? "",
    substatuses: [],
    notes: [],
  };
}

function readObject(kind: string, value: JsonObject): FoundStatus {
  const metadata = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  const status = isJsonObject(value["status"]) ? value["status"] : {};
  const conditions = conditionsOf(status);
  const told = mostTelling(conditions);
  const machine = textOf(metadata["name"]);
  const subject = subjectOf(kind, value, metadata);
  return {
    ...(machine === undefined ? {} : { machine }),
    from: told === undefined ? kind : `${kind}, condition ${told.type}`,
    message: told?.message ?? textOf(status["failureMessage"]) ?? "",
    substatuses: [],
    notes: notesOn(kind, subject, conditions),
    situation: objectSituation({ kind, conditions, told, subject, vmState: textOf(status["vmState"]) }),
  };
}

function subjectOf(kind: string, value: JsonObject, metadata: JsonObject): Subject {
  const machine = textOf(metadata["name"]);
  const namespace = textOf(metadata["namespace"]);
  const id = providerId(value);
  return {
    kind: kind.toLowerCase(),
    ...(machine === undefined ? {} : { machine }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(id === undefined ? {} : { id }),
  };
}

/** Three places: the old style, the new style in its first years, and the old style after it moved away. */
function conditionsOf(status: JsonObject): readonly Condition[] {
  const deprecated = isJsonObject(status["deprecated"]) ? status["deprecated"] : {};
  const holders = [status, status["v1beta2"], deprecated["v1beta1"]];
  return holders.flatMap((holder) => (isJsonObject(holder) ? listOf(holder["conditions"]).flatMap(conditionOf) : []));
}

function conditionOf(value: unknown): readonly Condition[] {
  if (!isJsonObject(value)) return [];
  return [
    {
      type: textOf(value["type"]) ?? "",
      // `kubectl describe` prints the word, which YAML then reads as a boolean.
      status:
        typeof value["status"] === "boolean" ? (value["status"] ? "True" : "False") : (textOf(value["status"]) ?? ""),
      reason: textOf(value["reason"]) ?? "",
      message: textOf(value["message"]) ?? "",
    },
  ];
}

/** A condition that holds our words; else the bootstrap's own that is not True; else any that is False and says something. */
function mostTelling(conditions: readonly Condition[]): Condition | undefined {
  const ours = conditions.filter(({ message }) => findVerdictText(message) !== undefined);
  const isBootstrap = ({ type }: Condition): boolean => type.endsWith("BootstrapSucceeded");
  return (
    ours.find(isBootstrap) ??
    ours[0] ??
    conditions.find((condition) => isBootstrap(condition) && condition.status !== "True") ??
    conditions.find(({ status, message }) => status === "False" && message !== "")
  );
}

function notesOn(kind: string, { id }: Subject, conditions: readonly Condition[]): readonly string[] {
  const bootstrap = conditions.find(({ type }) => type === "BootstrapSucceeded");
  const notes: string[] = [];
  if (kind === "AzureMachine" && bootstrap?.status === "True") {
    notes.push(
      "CAPZ sets BootstrapSucceeded back to True at the next reconcile after a failure. True is no proof; the instance view of the machine is.",
    );
  }
  if (id !== undefined) notes.push(`The whole answer: az vm get-instance-view --ids ${id} | capz-bootstrap explain -`);
  return notes;
}

/** The resource id of the machine. An AzureMachinePoolMachine names an instance of a scale set. */
function providerId(value: JsonObject): string | undefined {
  const spec = isJsonObject(value["spec"]) ? value["spec"] : {};
  const id = textOf(spec["providerID"])?.replace(/^azure:\/\//, "");
  return id !== undefined && /^\/[\w./-]+$/.test(id) ? id : undefined;
}
