import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { FoundStatus } from "./explanation.ts";
import { isOurs } from "./extension-entry.ts";
import { listOf, textOf } from "./json-fields.ts";
import { readAttached, readInstanceView } from "./read-instance-view.ts";
import { readRunCommand } from "./read-run-command.ts";
import type { Subject } from "./situation.ts";

/** What Azure's REST answers and `az` print: instance views of machines and scale sets, extension resources, lists of them. */
export interface AzureReading {
  readonly recognised: string;
  readonly found: readonly FoundStatus[];
}

export function readAzure(value: unknown, machine?: string): AzureReading | undefined {
  return readValue(value, machine === undefined ? {} : { machine });
}

function readValue(value: unknown, known: Subject): AzureReading | undefined {
  if (Array.isArray(value)) return readList(value, "list");
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value["value"])) return readList(value["value"], "list");
  const fields = { ...value, ...(isJsonObject(value["properties"]) ? value["properties"] : {}) };
  const subject = { ...known, ...subjectOf(value) };
  if (isExtensionResource(value, fields)) return readExtensionResource(value, fields);
  if (isJsonObject(fields["instanceView"])) return readValue(fields["instanceView"], subject);
  const command = readRunCommand([value]);
  return command === undefined ? readView(fields, subject) : { recognised: ofCommand, found: [command] };
}

const ofCommand = "answer of Run Command";

function readView(fields: JsonObject, subject: Subject): AzureReading | undefined {
  if (isScaleSetView(fields)) return readScaleSetView(fields, subject);
  // Before the first report of its agent a machine has statuses of its own and nothing else.
  if ("extensions" in fields || "vmAgent" in fields || hasPowerState(fields))
    return { recognised: "VM instance view", found: readInstanceView(fields, subject) };
  if (Array.isArray(fields["statuses"]))
    return { recognised: "extension instance view", found: [readAttached(fields, "instance view", subject)] };
  return undefined;
}

function readList(items: readonly unknown[], what: string): AzureReading | undefined {
  const command = readRunCommand(items);
  if (command !== undefined) return { recognised: ofCommand, found: [command] };
  const readings = items.map((item) => readAzure(item)).filter((reading) => reading !== undefined);
  if (readings.length === 0) return undefined;
  return {
    recognised: `${what} of ${String(readings.length)} × ${readings[0]?.recognised ?? ""}`,
    found: readings.flatMap((reading) => reading.found),
  };
}

function subjectOf(value: JsonObject): Subject {
  const machine = textOf(value["name"]) ?? textOf(value["computerName"]) ?? textOf(value["instanceId"]);
  const id = textOf(value["id"]);
  return {
    ...(machine === undefined ? {} : { machine }),
    ...(id !== undefined && /\/virtualMachines\/[^/\s]+$/iu.test(id) ? { id } : {}),
  };
}

function hasPowerState(fields: JsonObject): boolean {
  return listOf(fields["statuses"]).some(
    (status) =>
      isJsonObject(status) && /^PowerState\/|^ProvisioningState\/creating/iu.test(textOf(status["code"]) ?? ""),
  );
}

function isExtensionResource(value: JsonObject, fields: JsonObject): boolean {
  return (
    (textOf(value["type"]) ?? "").toLowerCase().endsWith("/extensions") ||
    ("typeHandlerVersion" in fields && "publisher" in fields)
  );
}

/** `…/virtualMachines/NAME/extensions/X`: the id names the machine, the body does not. */
function readExtensionResource(value: JsonObject, fields: JsonObject): AzureReading {
  const id = /^(?<vm>.*\/virtualMachines\/(?<machine>[^/]+))\/extensions\//iu.exec(textOf(value["id"]) ?? "")?.groups;
  const subject = id === undefined ? {} : { machine: id["machine"] ?? "", id: id["vm"] ?? "" };
  const name = textOf(value["name"]) ?? "extension";
  const view = isJsonObject(fields["instanceView"]) ? fields["instanceView"] : undefined;
  if (view !== undefined) {
    const found = readAttached({ name, ...view }, "extension resource", subject);
    return { recognised: "extension resource", found: [found] };
  }
  const state = textOf(fields["provisioningState"]) ?? "unknown";
  const note = `The resource has no instance view, only the state ${state}. Ask again with $expand=instanceView (az vm extension show --instance-view).`;
  const found: FoundStatus = {
    ...(subject.machine === undefined ? {} : { machine: subject.machine }),
    from: `extension resource ${name}`,
    message: "",
    substatuses: [],
    notes: [note],
    situation: { kind: "only-state", subject, detail: state },
  };
  return { recognised: "extension resource", found: [found] };
}

function isScaleSetView(fields: JsonObject): boolean {
  return listOf(fields["extensions"]).some((extension) => isJsonObject(extension) && "statusesSummary" in extension);
}

/** A scale set's own view counts states; the reasons stand in the views of its instances. */
function readScaleSetView(fields: JsonObject, subject: Subject): AzureReading {
  const ours = listOf(fields["extensions"]).filter(isJsonObject).find(isOurs);
  const counts = listOf(ours?.["statusesSummary"])
    .filter(isJsonObject)
    .map((entry) => `${String(entry["count"])} × ${(textOf(entry["code"]) ?? "").replace("ProvisioningState/", "")}`);
  const note =
    ours === undefined
      ? "The scale set has no extension CAPZ.Linux.Bootstrapping or CAPZ.Windows.Bootstrapping."
      : `The instances stand as follows: ${counts.join(", ")}.`;
  const found: FoundStatus = {
    from: "instance view of a scale set",
    message: "",
    substatuses: [],
    notes: [note],
    situation: { kind: "only-counts", subject, ...(counts.length === 0 ? {} : { detail: counts.join(", ") }) },
  };
  return { recognised: "instance view of a scale set", found: [found] };
}
