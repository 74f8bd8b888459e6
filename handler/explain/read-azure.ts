import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { FoundStatus, FoundSubstatus } from "./explanation.ts";
import { listOf, textOf } from "./json-fields.ts";

const extensionNames = ["capz.linux.bootstrapping", "capz.windows.bootstrapping"];

/** What Azure's REST answers and `az` print: instance views of machines and scale sets, extension resources, lists of them. */
export interface AzureReading {
  readonly recognised: string;
  readonly found: readonly FoundStatus[];
}

export function readAzure(value: unknown, machine?: string): AzureReading | undefined {
  if (Array.isArray(value)) return readList(value, "list");
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value["value"])) return readList(value["value"], "list");
  const fields = { ...value, ...(isJsonObject(value["properties"]) ? value["properties"] : {}) };
  const name = machineName(value) ?? machine;
  if (isExtensionResource(value, fields)) return readExtensionResource(value, fields);
  if (isJsonObject(fields["instanceView"])) return readAzure(fields["instanceView"], name);
  if (isScaleSetView(fields)) return readScaleSetView(fields);
  if ("extensions" in fields || "vmAgent" in fields) return readInstanceView(fields, name);
  if (Array.isArray(fields["statuses"])) return readLoneView(fields, name);
  return undefined;
}

function readList(items: readonly unknown[], what: string): AzureReading | undefined {
  const readings = items.map((item) => readAzure(item)).filter((reading) => reading !== undefined);
  if (readings.length === 0) return undefined;
  return {
    recognised: `${what} of ${String(readings.length)} × ${readings[0]?.recognised ?? ""}`,
    found: readings.flatMap((reading) => reading.found),
  };
}

function machineName(value: JsonObject): string | undefined {
  return textOf(value["name"]) ?? textOf(value["computerName"]) ?? textOf(value["instanceId"]);
}

function isExtensionResource(value: JsonObject, fields: JsonObject): boolean {
  return (
    (textOf(value["type"]) ?? "").toLowerCase().endsWith("/extensions") ||
    ("typeHandlerVersion" in fields && "publisher" in fields)
  );
}

/** `…/virtualMachines/NAME/extensions/X`: the id names the machine, the body does not. */
function readExtensionResource(value: JsonObject, fields: JsonObject): AzureReading {
  const segments = (textOf(value["id"]) ?? "").split("/");
  const before = segments.findIndex((segment) => segment.toLowerCase() === "virtualmachines");
  const machine = before === -1 ? undefined : segments[before + 1];
  const name = textOf(value["name"]) ?? "extension";
  const view = isJsonObject(fields["instanceView"]) ? fields["instanceView"] : undefined;
  if (view !== undefined) {
    return { recognised: "extension resource", found: [foundIn({ name, ...view }, machine, "extension resource")] };
  }
  const state = textOf(fields["provisioningState"]) ?? "unknown";
  const note = `The resource has no instance view, only the state ${state}. Ask again with $expand=instanceView (az vm extension show --instance-view).`;
  const found = { ...named(machine), from: `extension resource ${name}`, message: "", substatuses: [], notes: [note] };
  return { recognised: "extension resource", found: [found] };
}

function isScaleSetView(fields: JsonObject): boolean {
  return listOf(fields["extensions"]).some((extension) => isJsonObject(extension) && "statusesSummary" in extension);
}

/** A scale set's own view counts states; the reasons stand in the views of its instances. */
function readScaleSetView(fields: JsonObject): AzureReading {
  const ours = listOf(fields["extensions"]).filter(isJsonObject).find(isOurs);
  const counts = listOf(ours?.["statusesSummary"])
    .filter(isJsonObject)
    .map((entry) => `${String(entry["count"])} × ${(textOf(entry["code"]) ?? "").replace("ProvisioningState/", "")}`);
  const note =
    ours === undefined
      ? "The scale set has no extension CAPZ.Linux.Bootstrapping or CAPZ.Windows.Bootstrapping."
      : `The instances stand as follows: ${counts.join(", ")}.`;
  const ask =
    "A scale set only counts. Ask for its instances: az vmss list-instances --expand instanceView --resource-group GROUP --name SCALESET | capz-bootstrap explain -";
  const found = { from: "VMSS instance view", message: "", substatuses: [], notes: [note, ask] };
  return { recognised: "VMSS instance view", found: [found] };
}

function readInstanceView(fields: JsonObject, machine: string | undefined): AzureReading {
  const extensions = listOf(fields["extensions"]).filter(isJsonObject);
  const ours = extensions.filter(isOurs);
  const found = ours.map((extension) => foundIn(extension, machine, "instance view"));
  if (found.length > 0) return { recognised: "VM instance view", found };
  const others = extensions.map((extension) => textOf(extension["name"]) ?? "?");
  const absent = `It has no extension CAPZ.Linux.Bootstrapping or CAPZ.Windows.Bootstrapping${others.length === 0 ? "" : `, only ${others.join(", ")}`}.`;
  const message = handlerMessage(fields);
  const none = { ...named(machine), from: "VM instance view", message, substatuses: [], notes: [absent] };
  return { recognised: "VM instance view", found: [none] };
}

/** The guest agent tells of handlers that it could not install or start, when there is no extension status at all. */
function handlerMessage(fields: JsonObject): string {
  const agent = isJsonObject(fields["vmAgent"]) ? fields["vmAgent"] : {};
  const handler = listOf(agent["extensionHandlers"]).filter(isJsonObject).find(isOurs);
  const status = isJsonObject(handler?.["status"]) ? handler["status"] : {};
  const agentStatus = listOf(agent["statuses"]).find(isJsonObject);
  return textOf(status["message"]) ?? textOf(agentStatus?.["message"]) ?? "";
}

function isOurs(extension: JsonObject): boolean {
  const names = `${textOf(extension["name"]) ?? ""} ${textOf(extension["type"]) ?? ""}`.toLowerCase();
  return extensionNames.some((name) => names.includes(name));
}

function readLoneView(fields: JsonObject, machine: string | undefined): AzureReading {
  return { recognised: "extension instance view", found: [foundIn(fields, machine, "instance view")] };
}

function foundIn(extension: JsonObject, machine: string | undefined, where: string): FoundStatus {
  const status = listOf(extension["statuses"]).find(isJsonObject) ?? {};
  const code = Number((textOf(status["code"]) ?? "").split("/")[2] ?? Number.NaN);
  return {
    ...named(machine === extension["name"] ? undefined : machine),
    from: `${where}, extension ${textOf(extension["name"]) ?? textOf(extension["type"]) ?? "without a name"}`,
    message: textOf(status["message"]) ?? "",
    ...(Number.isInteger(code) ? { code } : {}),
    substatuses: [...listOf(extension["substatuses"]), ...listOf(extension["statuses"])].flatMap(substatusOf),
    notes: [],
  };
}

/** Substatus codes read `ComponentStatus/<name>/<status>`; some clients list them among the statuses. */
function substatusOf(value: unknown): readonly FoundSubstatus[] {
  if (!isJsonObject(value)) return [];
  const [kind, name] = (textOf(value["code"]) ?? "").split("/");
  return kind !== "ComponentStatus" || name === undefined ? [] : [{ name, message: textOf(value["message"]) ?? "" }];
}

function named(machine: string | undefined): { readonly machine?: string } {
  return machine === undefined ? {} : { machine };
}
