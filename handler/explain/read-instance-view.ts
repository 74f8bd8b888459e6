import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { ForeignText, FoundStatus } from "./explanation.ts";
import {
  isForWindows,
  isOldVersion,
  isOurs,
  readExtensionEntry,
  type ExtensionEntry,
  type ExtensionState,
} from "./extension-entry.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { listOf, textOf } from "./json-fields.ts";
import { readAgent, type AgentState } from "./read-agent.ts";
import type { FoundSituation, MachineSituation, Subject } from "./situation.ts";

/** The instance view of a machine: our extension, and what stands for its verdict where it has none. */
export function readInstanceView(view: JsonObject, subject: Subject): readonly FoundStatus[] {
  const extensions = listOf(view["extensions"]).filter(isJsonObject);
  const ours = extensions.filter(isOurs);
  const about = { ...subject, ...(isWindows(view, ours) ? { windows: true } : {}) };
  if (ours.length === 0) return [withoutOurs(view, extensions, about)];
  return ours.map((extension) => withOurs(extension, { view, others: extensions, subject: about }));
}

interface Surroundings {
  readonly view: JsonObject;
  readonly others: readonly JsonObject[];
  readonly subject: Subject;
}

/** An extension that is attached, as one entry shows it. */
export function readAttached(extension: JsonObject, where: string, subject: Subject): FoundStatus {
  const entry = readExtensionEntry(extension);
  const { machine } = subject;
  const speaks = findVerdictText(entry.message) !== undefined;
  const foreign = entry.state === "failed" && !speaks && !isOldVersion(extension) ? failureOf(entry) : undefined;
  return {
    ...(machine === undefined || machine === extension["name"] ? {} : { machine }),
    from: `${where}, extension ${entry.name}`,
    message: entry.message,
    ...(entry.code === undefined ? {} : { code: entry.code }),
    ...(entry.time === undefined ? {} : { time: entry.time }),
    substatuses: entry.substatuses,
    notes: [],
    ...(foreign === undefined ? {} : { foreign }),
    ...(speaks ? {} : { situation: attachedSituation(extension, entry, subject) }),
  };
}

const situationOf = {
  succeeded: "extension-without-words",
  failed: "extension-without-words",
  transitioning: "extension-working",
  none: "extension-starting",
} as const satisfies Record<ExtensionState, MachineSituation>;

function attachedSituation(
  extension: JsonObject,
  { state, message }: ExtensionEntry,
  subject: Subject,
): FoundSituation {
  const isOver = state === "succeeded" || state === "failed";
  if (isOver && isOurs(extension) && isOldVersion(extension))
    return { kind: `old-extension-${state}`, subject, ...detailOf(firstLineOf(message)) };
  return { kind: situationOf[state], subject, ...detailOf(firstLineOf(message)) };
}

function withOurs(extension: JsonObject, { view, others, subject }: Surroundings): FoundStatus {
  const found = readAttached(extension, "instance view", subject);
  const agent = readAgent(view);
  const notes = [...agentNote(agent, found), ...others.filter((other) => other !== extension).flatMap(failureNote)];
  const { situation, ...rest } = found;
  const state = machineState(view, agent, subject);
  if (situation?.kind !== "extension-starting" && situation?.kind !== "extension-working")
    return { ...found, notes, ...(situation === undefined && state !== undefined ? { situation: state } : {}) };
  const handler = handlerMessage(view);
  return {
    ...rest,
    message: found.message === "" ? handler : found.message,
    notes,
    situation: state ?? { ...situation, ...detailOf(handler) },
  };
}

function withoutOurs(view: JsonObject, extensions: readonly JsonObject[], subject: Subject): FoundStatus {
  const entries = extensions.map(readExtensionEntry);
  const agent = readAgent(view);
  const handler = handlerMessage(view);
  const failed = entries.find(({ state }) => state === "failed");
  const foreign = failed === undefined ? provisioningFailure(view) : failureOf(failed);
  const names = entries.map(({ name }) => name).join(", ");
  const absent = `It has no extension CAPZ.Linux.Bootstrapping or CAPZ.Windows.Bootstrapping${names === "" ? "" : `, only ${names}`}.`;
  const { machine } = subject;
  return {
    ...(machine === undefined ? {} : { machine }),
    from: "VM instance view",
    message: handler === "" ? agent.message : handler,
    substatuses: [],
    notes: handler === "" && foreign === undefined ? [] : [absent],
    ...(foreign === undefined ? {} : { foreign }),
    situation: machineState(view, agent, subject) ?? { kind: "extension-absent", subject, ...detailOf(names) },
  };
}

/** A state of the machine itself under which no extension can report; undefined when it is up and its agent reports. */
function machineState(view: JsonObject, agent: AgentState, subject: Subject): FoundSituation | undefined {
  const states = listOf(view["statuses"]).filter(isJsonObject);
  const has = (codes: RegExp): JsonObject | undefined => states.find(({ code }) => codes.test(textOf(code) ?? ""));
  const stopped = has(/^PowerState\/(?:stopp|dealloc)/iu);
  if (stopped !== undefined)
    return { kind: "machine-stopped", subject, ...detailOf(textOf(stopped["displayStatus"]) ?? "") };
  if (agent.kind === "ready" || agent.kind === "not-told") return undefined;
  const making = has(/^ProvisioningState\/creating/iu);
  if (making !== undefined)
    return { kind: "machine-provisioning", subject, ...detailOf(textOf(making["displayStatus"]) ?? "") };
  return { kind: agent.kind === "silent" ? "agent-silent" : "agent-not-ready", subject, ...detailOf(agent.message) };
}

/** `ProvisioningState/failed/OSProvisioningTimedOut` among the statuses of the machine itself. */
function provisioningFailure(view: JsonObject): ForeignText | undefined {
  const failed = listOf(view["statuses"])
    .filter(isJsonObject)
    .find(({ code }) => /^ProvisioningState\/failed/iu.test(textOf(code) ?? ""));
  if (failed === undefined) return undefined;
  const text = [textOf(failed["code"]), textOf(failed["message"])].filter((part) => part !== undefined).join("\n");
  return { speaker: "Azure", text };
}

function failureOf({ name, message, substatuses }: ExtensionEntry): ForeignText {
  const text = [message, ...substatuses.map((substatus) => substatus.message)].filter((part) => part !== "").join("\n");
  return { speaker: `extension ${name}`, text };
}

function failureNote(extension: JsonObject): readonly string[] {
  const { name, state, message } = readExtensionEntry(extension);
  if (state !== "failed") return [];
  return [
    `The extension ${name} failed too${message === "" ? "" : `: ${firstLineOf(message)}`}. CAPZ has one condition for all extensions of a machine.`,
  ];
}

function agentNote({ kind, message }: AgentState, found: FoundStatus): readonly string[] {
  if (found.situation !== undefined || (kind !== "not-ready" && kind !== "silent")) return [];
  return [
    `The guest agent does not report now${message === "" ? "" : ` ("${message}")`}: what stands here is as old as its last report.`,
  ];
}

/** The guest agent tells of handlers that it could not install or start, when there is no extension status at all. */
function handlerMessage(view: JsonObject): string {
  const agent = isJsonObject(view["vmAgent"]) ? view["vmAgent"] : {};
  const handler = listOf(agent["extensionHandlers"]).filter(isJsonObject).find(isOurs);
  const status = isJsonObject(handler?.["status"]) ? handler["status"] : {};
  return textOf(status["message"]) ?? "";
}

function isWindows(view: JsonObject, ours: readonly JsonObject[]): boolean {
  return ours.some(isForWindows) || (textOf(view["osName"]) ?? "").toLowerCase().includes("windows");
}

const longestDetail = 160;

/** The first line of a message, fit to stand inside of a sentence. */
function firstLineOf(message: string): string {
  const line = message.trim().split("\n")[0]?.trim() ?? "";
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}

function detailOf(detail: string): Pick<FoundSituation, "detail"> {
  return detail === "" ? {} : { detail };
}
