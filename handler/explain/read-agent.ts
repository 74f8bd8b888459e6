import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import { listOf, textOf } from "./json-fields.ts";

export interface AgentState {
  /** `not-told`: the view has nothing of the agent at all, as one of a single extension. */
  readonly kind: "ready" | "not-ready" | "silent" | "not-told";
  /** The agent's words, or Azure's for it; may be empty. */
  readonly message: string;
}

/**
 * `vmAgent` of an instance view. Before the agent's first report Azure answers with the version "Unknown" and a status of its own; when
 * the reports end it keeps the version and says "Not Ready".
 */
export function readAgent(view: JsonObject): AgentState {
  const agent = view["vmAgent"];
  // A machine without any report has no `vmAgent`, but statuses of its own.
  if (!isJsonObject(agent)) return { kind: "statuses" in view ? "silent" : "not-told", message: "" };
  const status = listOf(agent["statuses"]).find(isJsonObject);
  if (status === undefined) return { kind: "not-told", message: "" };
  const message = textOf(status["message"]) ?? textOf(status["displayStatus"]) ?? "";
  const isReady = (textOf(status["code"]) ?? "").toLowerCase() === "provisioningstate/succeeded";
  if (isReady) return { kind: "ready", message };
  const version = textOf(agent["vmAgentVersion"]) ?? "Unknown";
  return { kind: /^(?:unknown|0\.0)/iu.test(version) ? "silent" : "not-ready", message };
}
