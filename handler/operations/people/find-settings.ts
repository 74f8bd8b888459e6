import type { SettingsProblem } from "../../settings/settings.ts";
import { meantSetting } from "../../settings/read-settings-object.ts";
import { rowOf } from "../../settings/schema.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../text/parse-json.ts";
import { problemsOfCapzEntry } from "./capz-entry.ts";
import { namesFirstExtension } from "./first-extension.ts";
import { plannedOf, unknownUntilApply } from "./planned-values.ts";

/** One extension's settings, found in whatever a person has at hand. */
export interface FoundSettings {
  /** Where it stood, for a document that can hold several. */
  readonly name: string | undefined;
  readonly publicSettings: unknown;
  readonly protectedSettings: unknown;
  /** Protected settings that are not in the clear here. */
  readonly hidden: HiddenSettings | undefined;
  /** Keys whose value a template engine makes, in the place of which an example of the key stands. */
  readonly unresolved: readonly string[];
  readonly system: "linux" | "windows" | undefined;
  /** Another handler's settings: nothing can be said of them. */
  readonly foreign: boolean;
  /** What would be installed is CAPZ's first extension. */
  readonly isFirstExtension: boolean;
  /** What CAPZ, its API server or Azure would refuse of the entry around the settings. */
  readonly entryProblems: readonly SettingsProblem[];
}

type HiddenSettings =
  /** As the guest agent keeps them: base64 of a CMS envelope. */
  | { readonly kind: "encrypted"; readonly protectedText: string; readonly thumbprint: string | undefined }
  | { readonly kind: "elsewhere"; readonly where: string };

const keyVault: HiddenSettings = { kind: "elsewhere", where: "come from a key vault" };

/**
 * Every extension in a document: the agent's `N.settings`, an ARM resource or template (scale sets too), an AzureMachine,
 * AzureMachineTemplate or AzureMachinePool with `vmExtensions`, a ClusterClass whose patches set them (expandPatches), what Terraform shows of a plan,
 * an object with `settings` and `protectedSettings`, or the bare
 * settings, of which one at least must be known. Empty for a document of another kind, such as the other parts of a cluster's YAML.
 */
export function findSettings(document: unknown): readonly FoundSettings[] {
  // `az vm extension list` prints a list; an empty entry of one says nothing.
  if (Array.isArray(document)) return document.filter((item) => isFilled(item)).flatMap(findSettings);
  if (!isJsonObject(document)) return [];
  if (isParametersFile(document)) return fromParameters(document["parameters"]);
  const nested = search(plannedOf(document), nameOf(document));
  if (nested.length > 0) return nested;
  if (isDocument(document)) return [];
  const wrapped = wrappers.some((key) => key in document);
  if (wrapped) return [toFound(document, undefined)];
  return holdsASetting(document) ? [toFound({ settings: document }, undefined)] : [];
}

/** As ARM and the agent name them, and as Terraform does. */
const wrappers = ["settings", "publicSettings", "protectedSettings", "protected_settings"];

function isFilled(item: unknown): boolean {
  return isJsonObject(item) && Object.keys(item).length > 0;
}

/** Any file of names and values is a mapping of YAML. Nothing at all are settings too: each has its default. */
function holdsASetting(document: JsonObject): boolean {
  const keys = Object.keys(document);
  return keys.length === 0 || keys.some((key) => meantSetting(key) !== undefined);
}

/** The file beside a template of ARM that gives its parameters their values. */
export function isParametersFile(document: unknown): document is JsonObject {
  return isJsonObject(document) && /\/deploymentParameters\.json/iu.test(textOf(document["$schema"]) ?? "");
}

/**
 * What the template makes of them is not known here: a parameter named `…settings` is taken for the settings, `protected…` for the protected
 * ones, and one that has the name of a setting for that setting.
 */
function fromParameters(parameters: unknown): readonly FoundSettings[] {
  const rows = Object.entries(isJsonObject(parameters) ? parameters : {}).flatMap(([name, row]) =>
    isJsonObject(row) ? [{ name, row }] : [],
  );
  const secret = rows.find(({ name }) => protectedName.test(name))?.row;
  const publicSettings = Object.fromEntries(rows.flatMap(publicOfParameter));
  if (secret === undefined && Object.keys(publicSettings).length === 0) return [];
  const found = toFound({ publicSettings, protectedSettings: secret?.["value"] }, undefined);
  return [
    {
      ...found,
      name: "parameters of a deployment",
      hidden: secret !== undefined && "reference" in secret ? keyVault : undefined,
      system: systemOf({ name: rows.map(({ row }) => textOf(row["value"]) ?? "").join(" ") }),
    },
  ];
}

const protectedName = /protected_?settings$/iu;

function publicOfParameter({ name, row }: { readonly name: string; readonly row: JsonObject }): [string, unknown][] {
  const { value } = row;
  if (value === undefined || protectedName.test(name)) return [];
  if (rowOf(name) !== undefined) return [[name, value]];
  // A template may well have settings of an application, too.
  return /settings$/iu.test(name) && isJsonObject(value) && holdsASetting(value) ? Object.entries(value) : [];
}

/** What Kubernetes and ARM put around things; nobody names a setting like this. */
function isDocument(value: JsonObject): boolean {
  return ["apiVersion", "$schema", "resources", "runtimeSettings", "vmExtensions", "items"].some((key) => key in value);
}

function nameOf(document: JsonObject): string {
  const kind = textOf(document["kind"]);
  const metadata = isJsonObject(document["metadata"]) ? document["metadata"] : {};
  return kind === undefined ? "" : `${kind} ${textOf(metadata["name"]) ?? "without a name"}: `;
}

const deepest = 40;

function search(value: unknown, context: string, depth = 0): readonly FoundSettings[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => search(item, context, depth + 1));
  if (!isJsonObject(value)) return [];
  const agents = value["runtimeSettings"];
  if (Array.isArray(agents)) return agents.flatMap(fromAgent);
  const itself = fromItself(value, context) ?? fromTerraform(value, context, depth);
  if (itself !== undefined) return itself;
  const own = context === "" ? nameOf(value) : context;
  return Object.entries(value).flatMap(([key, item]) =>
    key === "vmExtensions" && Array.isArray(item)
      ? item.flatMap((entry: unknown, index) => fromCapz(entry, value, `${own}vmExtensions[${String(index)}]`))
      : search(item, own, depth + 1),
  );
}

function fromItself(value: JsonObject, context: string): readonly FoundSettings[] | undefined {
  const { properties, type, name } = value;
  const place = `${context}${textOf(name) ?? "extension"}`;
  if (isResource(value)) return [toFound({ type, ...(isJsonObject(properties) ? properties : {}), name }, place)];
  return isFlat(value) ? [toFound(value, place)] : undefined;
}

/** A VM extension of ARM, alone, in a template, or in a scale set's profile; a body of a request may leave the publisher away. */
function isResource(value: JsonObject): boolean {
  const { properties } = value;
  if (!isJsonObject(properties)) return false;
  const { settings } = properties;
  return "publisher" in properties
    ? "settings" in properties || "protectedSettings" in properties || "type" in properties
    : isJsonObject(settings) && Object.keys(settings).some((key) => rowOf(key) !== undefined);
}

/** Without `properties` around it: a block of Terraform's scale sets, an object of Azure Service Operator or Crossplane, a task of Ansible. */
function isFlat(value: JsonObject): boolean {
  const hasSettings = wrappers.some((key) => isJsonObject(value[key]) || isJsonText(value[key]));
  return hasSettings && textOf(value["publisher"]) !== undefined;
}

function isJsonText(value: unknown): boolean {
  return typeof value === "string" && isJsonObject(valueOfJson(value));
}

function valueOfJson(text: string): unknown {
  const json = parseJson(text);
  return json.kind === "value" ? json.value : undefined;
}

const extensionsOfTerraform = [
  "azurerm_virtual_machine_extension",
  "azurerm_virtual_machine_scale_set_extension",
  "azurerm_arc_machine_extension",
];

/** A resource as `terraform show -json` prints it, of a plan or of a state. */
function fromTerraform(value: JsonObject, context: string, depth: number): readonly FoundSettings[] | undefined {
  const { type, address, values } = value;
  if (!isJsonObject(values)) return undefined;
  const name = textOf(address) ?? "extension";
  if (extensionsOfTerraform.some((one) => one === type)) return [toFound(values, name)];
  // The body of an azapi_resource may be text.
  const body = typeof values["body"] === "string" ? valueOfJson(values["body"]) : undefined;
  return body === undefined ? undefined : search({ name, ...(isJsonObject(body) ? body : {}) }, context, depth);
}

function fromAgent(item: unknown): readonly FoundSettings[] {
  const handlerSettings = isJsonObject(item) ? item["handlerSettings"] : undefined;
  if (!isJsonObject(handlerSettings)) return [];
  const { publicSettings, protectedSettings, protectedSettingsCertThumbprint } = handlerSettings;
  const protectedText = textOf(protectedSettings);
  const found = toFound({ publicSettings }, undefined);
  if (protectedText === undefined) return [{ ...found, protectedSettings }];
  const thumbprint = textOf(protectedSettingsCertThumbprint);
  return [{ ...found, hidden: { kind: "encrypted", protectedText, thumbprint } }];
}

function fromCapz(entry: unknown, machine: JsonObject, place: string): readonly FoundSettings[] {
  if (!isJsonObject(entry)) return [];
  const name = textOf(entry["name"]);
  const found = toFound(entry, name === undefined ? place : `${place} ${name}`);
  return [{ ...found, entryProblems: problemsOfCapzEntry(entry, machine) }];
}

function toFound(value: JsonObject, name: string | undefined): FoundSettings {
  const isTemplate = name !== undefined;
  const unresolved: string[] = [];
  const settle = (settings: unknown): unknown => (isTemplate ? withExamples(settings, unresolved) : settings);
  const publicSettings = settle(value["publicSettings"] ?? value["settings"] ?? undefined);
  const secret = value["protectedSettings"] ?? value["protected_settings"] ?? undefined;
  const protectedSettings = isSecretName(secret) ? undefined : settle(secret);
  return {
    name: name ?? textOf(value["name"]),
    publicSettings,
    protectedSettings,
    hidden: hiddenOf(value, publicSettings),
    unresolved,
    system: systemOf(value),
    foreign: isForeign(value, [publicSettings, protectedSettings]),
    isFirstExtension: namesFirstExtension(value),
    entryProblems: [],
  };
}

function hiddenOf(value: JsonObject, publicSettings: unknown): HiddenSettings | undefined {
  if ("protectedSettingsFromKeyVault" in value) return keyVault;
  if (value[unknownUntilApply] === true)
    return { kind: "elsewhere", where: "are known to Terraform only when it applies the plan" };
  // Azure Service Operator names a Secret and its key.
  if (isSecretName(value["protectedSettings"])) return { kind: "elsewhere", where: "stand in a Secret" };
  const isAnswer = textOf(value["provisioningState"]) !== undefined;
  const runs = isJsonObject(publicSettings) && ("commandToExecute" in publicSettings || "script" in publicSettings);
  return isAnswer && !runs
    ? { kind: "elsewhere", where: "are not in Azure's answer, which never holds them" }
    : undefined;
}

function isSecretName(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).toSorted().join() === "key,name";
}

/** An expression of ARM, a variable of clusterctl or of a ClusterClass, as the whole value: an example of the key takes its place. */
function withExamples(settings: unknown, unresolved: string[]): unknown {
  if (isExpression(settings)) {
    unresolved.push("all of it");
    return undefined;
  }
  if (!isJsonObject(settings)) return settings;
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => {
      const row = rowOf(key);
      if (row === undefined || !(isExpression(value) || (Array.isArray(value) && value.some(isExpression))))
        return [key, value];
      unresolved.push(key);
      return [key, row.examples[0]];
    }),
  );
}

function isExpression(value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (/^(?:\$\{[^}]*\}|\{\{[^}]*\}\})$/u.test(value)) return true;
  // "[[" is ARM's way to write a text that begins with a bracket; a list as JSON text is no expression.
  return /^\[(?!\[)[\s\S]*\]$/u.test(value) && parseJson(value).kind !== "value";
}

function systemOf(value: JsonObject): FoundSettings["system"] {
  const words = [value["name"], value["publisher"], value["type"]].map((word) => textOf(word) ?? "").join(" ");
  if (/windows|CustomScriptExtension/iu.test(words)) return "windows";
  return /linux|\bCustomScript\b/iu.test(words) ? "linux" : undefined;
}

function isForeign(value: JsonObject, settings: readonly unknown[]): boolean {
  const words = [value["name"], value["type"]].map(textOf).filter((word) => word !== undefined);
  if (words.length === 0 || words.some((word) => /bootstrap|custom-?script/iu.test(word))) return false;
  const fields = settings.map((item) => (typeof item === "string" ? valueOfJson(item) : item));
  return !fields.some((item) => isJsonObject(item) && Object.keys(item).some((key) => rowOf(key) !== undefined));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
