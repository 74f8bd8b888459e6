import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { FoundSubstatus } from "./explanation.ts";
import { listOf, textOf } from "./json-fields.ts";

const extensionNames = ["capz.linux.bootstrapping", "capz.windows.bootstrapping"];

/** Whether an extension, or a handler of the agent's list, bears the type that CAPZ knows: this program, or the one before it. */
export function isOurs(extension: JsonObject): boolean {
  const names = `${textOf(extension["name"]) ?? ""} ${textOf(extension["type"]) ?? ""}`.toLowerCase();
  return extensionNames.some((name) => names.includes(name));
}

export function isForWindows(extension: JsonObject): boolean {
  const names = `${textOf(extension["name"]) ?? ""} ${textOf(extension["type"]) ?? ""}`.toLowerCase();
  return names.includes("capz.windows.bootstrapping");
}

/** This program begins at 2.0.0; what stands in the registries as 1.0.0 and 1.1.1 is CAPZ's first one. */
export function isOldVersion(extension: JsonObject): boolean {
  return /^1\.[01](?:\.|$)/u.test(textOf(extension["typeHandlerVersion"]) ?? "");
}

export interface ExtensionEntry {
  readonly name: string;
  readonly state: ExtensionState;
  readonly message: string;
  readonly code: number | undefined;
  /** Of the status, as Azure writes it. */
  readonly time: string | undefined;
  readonly substatuses: readonly FoundSubstatus[];
}

/** "none": Azure shows no status of it yet. */
export type ExtensionState = "succeeded" | "failed" | "transitioning" | "none";

/** One entry of `instanceView.extensions`: its first status, and the substatuses wherever the client lists them. */
export function readExtensionEntry(extension: JsonObject): ExtensionEntry {
  const status = listOf(extension["statuses"]).find(isJsonObject);
  const code = Number((textOf(status?.["code"]) ?? "").split("/")[2] ?? Number.NaN);
  return {
    name: textOf(extension["name"]) ?? textOf(extension["type"]) ?? "without a name",
    state: stateOf(status),
    message: textOf(status?.["message"]) ?? "",
    code: Number.isInteger(code) ? code : undefined,
    time: textOf(status?.["time"]),
    substatuses: [...listOf(extension["substatuses"]), ...listOf(extension["statuses"])].flatMap(substatusOf),
  };
}

function stateOf(status: JsonObject | undefined): ExtensionState {
  const state = (textOf(status?.["code"]) ?? "").toLowerCase().split("/")[1];
  if (state === "succeeded" || state === "failed" || state === "transitioning") return state;
  return (textOf(status?.["level"]) ?? "").toLowerCase() === "error" ? "failed" : "none";
}

/** Substatus codes read `ComponentStatus/<name>/<status>`; some clients list them among the statuses. */
function substatusOf(value: unknown): readonly FoundSubstatus[] {
  if (!isJsonObject(value)) return [];
  const [kind, name] = (textOf(value["code"]) ?? "").split("/");
  return kind !== "ComponentStatus" || name === undefined ? [] : [{ name, message: textOf(value["message"]) ?? "" }];
}
