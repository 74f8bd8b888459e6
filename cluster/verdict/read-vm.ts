import { isPlainScriptFailure } from "../../handler/explain/azure-errors.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { readAzure } from "../../handler/explain/read-azure.ts";
import { isJsonObject, type JsonObject } from "../../handler/text/parse-json.ts";
import { bounds, type Account } from "./account.ts";
import { makeAccount, shown } from "./make-account.ts";
import { asMoment } from "./moment.ts";
import type { NoAnswerReason } from "./reasons.ts";

/** A VM or scale set instance as ARM gives it with `$expand=instanceView`. */
export interface ReadVm {
  /** Resource id, lower case. */
  readonly id: string;
  readonly location: string | undefined;
  readonly account: Account;
}

/**
 * What Azure says of one machine. A silent agent, an absent view and a status that another machine wrote (an image of a failed one) are
 * "no answer"; so is everything that only says that Azure could not look.
 */
export function readVm(value: unknown, now: string): ReadVm | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = textOf(value["id"])?.toLowerCase();
  if (id === undefined) return undefined;
  return { id, location: textOf(value["location"])?.toLowerCase(), account: accountOf(value, now) };
}

function accountOf(value: JsonObject, now: string): Account {
  const fields = { ...value, ...objectOf(value["properties"]) };
  const vmId = textOf(fields["vmId"])?.toLowerCase();
  const vmCreated = asMoment(textOf(fields["timeCreated"]));
  const view = objectOf(fields["instanceView"]);
  const extension = listOf(view["extensions"]).filter(isJsonObject).find(isOurs);
  const status = listOf(extension?.["statuses"]).find(isJsonObject);
  const found = readAzure(view, textOf(value["name"]))?.found[0];
  const nothing = (reason: NoAnswerReason, line: string): Account =>
    noAnswer({ reason, line, time: now, vmId, vmCreated });
  if (found === undefined) return nothing("NoAnswer", "Azure has no instance view of the machine yet");
  const silent = silence(view);
  if (extension === undefined || status === undefined) {
    if (silent !== undefined) return nothing("AgentSilent", silent);
    const told = makeAccount({ source: "instanceView", found, time: now, vmId, vmCreated });
    if (told.reason !== "NoAnswer") return told;
    return nothing("ExtensionAbsent", "The machine has no status of the bootstrapping extension yet");
  }
  const time = asMoment(textOf(status["time"])) ?? now;
  const account = makeAccount({ source: "instanceView", found, time, vmId, vmCreated });
  const writtenBy = makeAccount({ source: "instanceView", found, time }).vmId;
  if (vmId !== undefined && writtenBy !== undefined && writtenBy !== vmId) {
    return nothing(
      "ForeignStatus",
      `The status was written on another VM (${writtenBy}); this machine has not reported yet`,
    );
  }
  const judged = account.outcome === "unknown" ? judgeByState(account, status) : account;
  if (silent !== undefined && (judged.outcome === "waiting" || judged.outcome === "unknown")) {
    return nothing("AgentSilent", silent);
  }
  return judged;
}

/** CAPZ's own extension, and any other of its name, has no words of ours: the state of the resource is all it says. */
function judgeByState(account: Account, status: JsonObject): Account {
  const state = (textOf(status["code"]) ?? "").toLowerCase();
  const message = textOf(status["message"]) ?? "";
  if (account.reason !== "NoAnswer") return account;
  if (state.startsWith("provisioningstate/succeeded")) {
    return { ...account, outcome: "bootstrapped", reason: "Bootstrapped", firstLine: "The extension reports success" };
  }
  if (state.startsWith("provisioningstate/transitioning")) {
    return {
      ...account,
      outcome: "waiting",
      reason: "BootstrapInProgress",
      firstLine: "The extension is still running",
    };
  }
  return state.startsWith("provisioningstate/failed") && isPlainScriptFailure(message)
    ? { ...account, outcome: "failed", reason: "CommandFailed" }
    : account;
}

const extensionNames = ["capz.linux.bootstrapping", "capz.windows.bootstrapping"];

function isOurs(extension: JsonObject): boolean {
  const names = `${textOf(extension["name"]) ?? ""} ${textOf(extension["type"]) ?? ""}`.toLowerCase();
  return extensionNames.some((name) => names.includes(name));
}

/** Azure's words for a guest agent that has stopped reporting; what it said before may be hours old. */
function silence(view: JsonObject): string | undefined {
  const agent = listOf(objectOf(view["vmAgent"])["statuses"]).find(isJsonObject);
  const ready = (textOf(agent?.["code"]) ?? "").toLowerCase() === "provisioningstate/succeeded";
  if (agent === undefined || ready) return undefined;
  return `The guest agent does not report: ${shown(textOf(agent["message"]) ?? textOf(agent["displayStatus"]) ?? "no status", bounds.line)}`;
}

interface Nothing {
  readonly reason: NoAnswerReason;
  readonly line: string;
  readonly time: string;
  readonly vmId?: string | undefined;
  readonly vmCreated?: string | undefined;
}

/** The account that nothing was learned, which never displaces another one. */
export function noAnswer({ reason, line, time, vmId, vmCreated }: Nothing): Account {
  return {
    source: "instanceView",
    outcome: "unknown",
    reason,
    time,
    firstLine: shown(line, bounds.firstLine),
    ...(vmId === undefined ? {} : { vmId }),
    ...(vmCreated === undefined ? {} : { vmCreated }),
    evidence: [],
    timeline: [],
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
