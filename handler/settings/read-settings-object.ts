import { closestWord } from "../text/closest-word.ts";
import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";
import { allowedValues, quoted, shownValue } from "./describe-setting.ts";
import { readValue, type SettingValue } from "./read-value.ts";
import { rowOf, settingKeys } from "./schema.ts";
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
  for (const { place, value } of bothPlaces(input)) {
    const fields = readFields(value);
    if (fields === undefined) {
      problems.push({ key: `${place}Settings`, message: `${place}Settings is not a JSON object` });
      continue;
    }
    for (const [key, field] of Object.entries(fields)) {
      const row = rowOf(key);
      if (row === undefined) warnings.push(unknownKey(key, place));
      else if (readValue(row, field).kind === "unset") continue;
      else if (found.has(key)) problems.push(duplicate(key));
      else found.set(key, { place, value: field });
    }
  }
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

function unknownKey(key: string, place: Place): SettingsProblem {
  const meant = closestWord(key, settingKeys);
  const advice = meant === undefined ? "remove it" : `did you mean ${meant}?`;
  const name = quoted(key);
  return { key: name, message: `${name} (${place} settings) is not a setting and has no effect; ${advice}` };
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
