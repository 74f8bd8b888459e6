import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { FoundStatus } from "./explanation.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { listOf, textOf } from "./json-fields.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Any object that `kubectl get -o yaml` prints, and lists of them. */
export function readKubernetes(
  value: unknown,
): { readonly recognised: string; readonly found: readonly FoundStatus[] } | undefined {
  if (!isJsonObject(value) || textOf(value["kind"]) === undefined || textOf(value["apiVersion"]) === undefined)
    return undefined;
  const kind = textOf(value["kind"]) ?? "";
  if (Array.isArray(value["items"])) {
    const readings = value["items"].map(readKubernetes).filter((reading) => reading !== undefined);
    return { recognised: `list of ${String(readings.length)} objects`, found: readings.flatMap(({ found }) => found) };
  }
  return { recognised: kind, found: [readObject(kind, value)] };
}

function readObject(kind: string, value: JsonObject): FoundStatus {
  const metadata = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  const status = isJsonObject(value["status"]) ? value["status"] : {};
  const conditions = conditionsOf(status);
  const told = mostTelling(conditions);
  const machine = textOf(metadata["name"]);
  return {
    ...(machine === undefined ? {} : { machine }),
    from: told === undefined ? kind : `${kind}, condition ${told.type}`,
    message: told?.message ?? textOf(status["failureMessage"]) ?? textOf(value["message"]) ?? "",
    substatuses: [],
    notes: notesOn(kind, value, conditions),
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
      status: textOf(value["status"]) ?? "",
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

function notesOn(kind: string, value: JsonObject, conditions: readonly Condition[]): readonly string[] {
  const bootstrap = conditions.find(({ type }) => type === "BootstrapSucceeded");
  const notes: string[] = [];
  if (kind === "AzureMachine" && bootstrap?.status === "True") {
    notes.push(
      "CAPZ sets BootstrapSucceeded back to True at the next reconcile after a failure. True is no proof; the instance view of the machine is.",
    );
  }
  const id = providerId(value);
  if (id !== undefined) notes.push(`The whole answer: az vm get-instance-view --ids ${id} | capz-bootstrap explain -`);
  return notes;
}

function providerId(value: JsonObject): string | undefined {
  const spec = isJsonObject(value["spec"]) ? value["spec"] : {};
  const id = textOf(spec["providerID"])?.replace(/^azure:\/\//, "");
  return id !== undefined && /^\/[\w./-]+$/.test(id) ? id : undefined;
}
