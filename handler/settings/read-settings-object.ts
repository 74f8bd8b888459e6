import { closestWord } from "../text/closest-word.ts";
import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";
import { allowedValues, quoted, shownValue } from "./describe-setting.ts";
import { readValue, type SettingValue } from "./read-value.ts";
import { decidingKeys, rowOf, settingKeys } from "./schema.ts";
import type { SettingRow } from "./setting-row.ts";
import type { SettingsProblem } from "./settings.ts";

export interface SettingsInput {
  readonly publicSettings: unknown;
  readonly protectedSettings: unknown;
}

export interface ReadValues {
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly problems: readonly SettingsProblem[];
  readonly warnings: readonly SettingsProblem[];
}

type Place = "public" | "protected";

interface Found {
  readonly place: Place;
  readonly value: unknown;
}

/** Reads every key of both objects on its own: type, range, place, duplicates. What keys mean together is not looked at. */
export function readSettingsObjects(input: SettingsInput): ReadValues {
  const problems: SettingsProblem[] = [];
  const warnings: SettingsProblem[] = [];
  const found = new Map<string, Found>();
  const empty: string[] = [];
  for (const { place, value } of bothPlaces(input)) {
    const fields = readFields(value);
    if (fields === undefined) {
      problems.push({ key: `${place}Settings`, message: `${place}Settings is not a JSON object` });
      continue;
    }
    for (const [key, field] of Object.entries(fields)) {
      const row = rowOf(key);
      if (row === undefined) noteUnknownKey({ key, place, problems, warnings });
      else if (readValue(row, field).kind === "unset") {
        if (typeof field === "string" && row.type === "text") empty.push(key);
      } else if (found.has(key)) problems.push(duplicate(key));
      else found.set(key, { place, value: field });
    }
  }
  if (!found.has("commandToExecute") && !found.has("script")) problems.push(...empty.map(emptyCommand));
  const values = new Map<string, SettingValue>();
  for (const [key, item] of found) readKey({ key, item, values, problems, warnings });
  return { values, problems, warnings };
}

function bothPlaces(input: SettingsInput): readonly Found[] {
  return [
    { place: "public", value: input.publicSettings },
    { place: "protected", value: input.protectedSettings },
  ];
}

/** Nothing, an object, or an object as JSON text: newer goal states carry the public settings as a text. */
function readFields(value: unknown): JsonObject | undefined {
  if (value === null || value === undefined || value === "") return {};
  if (isJsonObject(value)) return value;
  if (typeof value !== "string") return undefined;
  const json = parseJson(value);
  return json.kind === "value" && isJsonObject(json.value) ? json.value : undefined;
}

interface UnknownKey {
  readonly key: string;
  readonly place: Place;
  readonly problems: SettingsProblem[];
  readonly warnings: SettingsProblem[];
}

/** A typing mistake costs a warning, but not where something else would run than was meant. */
function noteUnknownKey({ key, place, problems, warnings }: UnknownKey): void {
  const meant = meantSetting(key);
  const name = quoted(key);
  const where = `${name} (${place} settings) is not a setting`;
  if (meant !== undefined && decidingKeys.includes(meant)) {
    problems.push({
      key: name,
      message: `${where}; did you mean ${meant}? It decides what runs, so nothing is guessed`,
    });
    return;
  }
  const advice = meant === undefined ? "remove it" : `did you mean ${meant}?`;
  warnings.push({ key: name, message: `${where} and has no effect; ${advice}` });
}

/** The setting that is named so, or that a person most likely meant by it. */
export function meantSetting(key: string): string | undefined {
  return meantByOthers.get(key.toLowerCase()) ?? closestWord(key, settingKeys);
}

/** Names that other handlers, and people from memory, give to these keys. */
const meantByOthers: ReadonlyMap<string, string> = new Map([
  ["command", "commandToExecute"],
  ["commands", "commandToExecute"],
  ["commandline", "commandToExecute"],
  ["cmd", "commandToExecute"],
  ["execute", "commandToExecute"],
  ["scripts", "script"],
  ["inlinescript", "script"],
  ["scripturi", "fileUris"],
  ["files", "fileUris"],
  ["fileurls", "fileUris"],
  ["user", "runAsUser"],
]);

/** An expression of a template that came out empty must not silently become another check. */
function emptyCommand(key: string): SettingsProblem {
  const message = `${key} is empty; allowed: a command, or remove ${key} to let the check in the package look at the node`;
  return { key, message, errorId: "commandMissing" };
}

function duplicate(key: string): SettingsProblem {
  return { key, message: `${key} stands in the public and in the protected settings; keep it in one of them` };
}

interface ReadKey {
  readonly key: string;
  readonly item: Found;
  readonly values: Map<string, SettingValue>;
  readonly problems: SettingsProblem[];
  readonly warnings: SettingsProblem[];
}

function readKey({ key, item, values, problems, warnings }: ReadKey): void {
  const row = rowOf(key);
  if (row === undefined) return;
  if (row.place === "protected" && item.place === "public") {
    values.set(key, { kind: "refused", found: "" });
    problems.push({ key, message: `${key} is a secret; move it from the public to the protected settings` });
    return;
  }
  const value = readValue(row, item.value);
  values.set(key, value);
  if (value.kind === "refused") problems.push(refusal({ key, row, item, found: value.found }));
  if (item.place === "public" && holdsCredential(value)) {
    warnings.push({ key, message: `${key} stands in the public settings with a credential in its URL; protect it` });
  }
}

interface Refusal {
  readonly key: string;
  readonly row: SettingRow;
  readonly item: Found;
  readonly found: string;
}

function refusal({ key, row, item, found }: Refusal): SettingsProblem {
  const shown = shownValue(item.value, item.place === "public" && !row.secret);
  const detail = found === "" ? "" : ` (${found})`;
  const errorId = key === "script" ? ({ errorId: "scriptInvalid" } as const) : {};
  return { key, message: `${key} is ${shown}${detail}; allowed: ${allowedValues(row)}`, ...errorId };
}

/** A SAS signature or a password in an address. */
function holdsCredential(value: SettingValue): boolean {
  const addresses = value.kind === "list" ? value.list : value.kind === "text" ? [value.text] : [];
  return addresses.some(
    (address) => /^https?:\/\//i.test(address) && URL.canParse(address) && carriesSecret(new URL(address)),
  );
}

function carriesSecret(url: URL): boolean {
  return url.password !== "" || url.searchParams.has("sig");
}
