import { isPlainScriptFailure } from "../../handler/explain/azure-errors.ts";
import type { FoundStatus } from "../../handler/explain/explanation.ts";
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

interface Machine {
  readonly vmId: string | undefined;
  readonly vmCreated: string | undefined;
  readonly view: JsonObject;
  readonly found: FoundStatus;
  readonly now: string;
}

function accountOf(value: JsonObject, now: string): Account {
  const fields = { ...value, ...objectOf(value["properties"]) };
  const vmId = textOf(fields["vmId"])?.toLowerCase();
  const vmCreated = asMoment(textOf(fields["timeCreated"]));
  const view = objectOf(fields["instanceView"]);
  const found = readAzure(view, textOf(value["name"]))?.found[0];
  if (found === undefined) {
    return noAnswer({
      reason: "NoAnswer",
      line: "Azure has no instance view of the machine yet",
      time: now,
      vmId,
      vmCreated,
    });
  }
  const machine = { vmId, vmCreated, view, found, now };
  const extension = listOf(view["extensions"]).filter(isJsonObject).find(isOurs);
  const status = listOf(extension?.["statuses"]).find(isJsonObject);
  return status === undefined ? withoutStatus(machine) : withStatus(machine, status);
}

/** The agent may tell why there is no status of the extension. */
function withoutStatus(machine: Machine): Account {
  const silent = silence(machine.view);
  if (silent !== undefined) return nothing(machine, "AgentSilent", silent);
  const told = makeAccount({ source: "instanceView", ...machine, time: machine.now });
  if (told.reason !== "NoAnswer") return told;
  return nothing(machine, "ExtensionAbsent", "The machine has no status of the bootstrapping extension yet");
}

function withStatus(machine: Machine, status: JsonObject): Account {
  const { vmId, found, now } = machine;
  const time = asMoment(textOf(status["time"])) ?? now;
  const account = makeAccount({ source: "instanceView", ...machine, time });
  const writtenBy = makeAccount({ source: "instanceView", found, time }).vmId;
  if (vmId !== undefined && writtenBy !== undefined && isOtherVm(writtenBy, vmId)) {
    const line = `The status was written on another VM (${writtenBy}); this machine has not reported yet`;
    return nothing(machine, "ForeignStatus", line);
  }
  const judged = account.outcome === "unknown" ? judgeByState(account, status) : account;
  const silent = silence(machine.view);
  const isOpen = judged.outcome === "waiting" || judged.outcome === "unknown";
  return silent !== undefined && isOpen ? nothing(machine, "AgentSilent", silent) : judged;
}

const uuidPattern =
  /^([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})-([0-9a-f]{2})([0-9a-f]{2})-([0-9a-f]{2})([0-9a-f]{2})-/u;

/** A node without DMI tells another id of itself, and older firmware gives the first three groups of it in the other byte order. */
function isOtherVm(writtenBy: string, vmId: string): boolean {
  const swapped = writtenBy.replace(uuidPattern, "$4$3$2$1-$6$5-$8$7-");
  return uuidPattern.test(writtenBy) && writtenBy !== vmId && swapped !== vmId;
}

function nothing({ now, vmId, vmCreated }: Machine, reason: NoAnswerReason, line: string): Account {
  return noAnswer({ reason, line, time: now, vmId, vmCreated });
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
