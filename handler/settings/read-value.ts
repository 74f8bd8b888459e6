import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";
import { pinProblem } from "./file-uri.ts";
import type { SettingRow, TextRow, UrlListRow, UrlSchemes } from "./setting-row.ts";

export type SettingValue =
  | { readonly kind: "unset" }
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "flag"; readonly flag: boolean }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly list: readonly string[] }
  | { readonly kind: "identity"; readonly clientId: string | undefined; readonly objectId: string | undefined }
  /** `found`: what is wrong with the value, without quoting it; "" when the value itself says enough. */
  | { readonly kind: "refused"; readonly found: string };

/** Reads one value in its own type or as a text, because Cluster API's Azure provider can carry only texts. */
export function readValue(row: SettingRow, value: unknown): SettingValue {
  if (value === null || value === undefined) return { kind: "unset" };
  switch (row.type) {
    case "whole-number":
      return readNumber(value, row.minimum, row.maximum);
    case "boolean":
      return readFlag(value);
    case "choice":
      return typeof value === "string" && row.values.includes(value) ? { kind: "text", text: value } : refused();
    case "text":
      return readText(value, row);
    case "url":
      return readUrl(value, row.schemes);
    case "url-list":
      return readUrlList(value, row);
    case "identity":
      return readIdentity(value);
  }
}

function refused(found = ""): SettingValue {
  return { kind: "refused", found };
}

function readNumber(value: unknown, minimum: number, maximum: number): SettingValue {
  const number = typeof value === "string" && /^-?\d{1,19}$/.test(value.trim()) ? Number(value) : value;
  const fits = typeof number === "number" && Number.isInteger(number) && number >= minimum && number <= maximum;
  return fits ? { kind: "number", number } : refused();
}

function readFlag(value: unknown): SettingValue {
  if (typeof value === "boolean") return { kind: "flag", flag: value };
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return word === "true" || word === "false" ? { kind: "flag", flag: word === "true" } : refused();
}

function readText(value: unknown, row: TextRow): SettingValue {
  if (typeof value !== "string") return refused();
  if (value.trim() === "") return row.emptyIsUnset ? { kind: "unset" } : refused("it is empty");
  if (row.maximumLength !== undefined && value.length > row.maximumLength) {
    return refused(`it has ${value.length} characters, at most ${row.maximumLength} are allowed`);
  }
  if (row.pattern !== undefined && !new RegExp(row.pattern).test(value)) return refused();
  return { kind: "text", text: value };
}

function readUrl(value: unknown, schemes: UrlSchemes): SettingValue {
  if (typeof value !== "string") return refused();
  const problem = urlProblem(value.trim(), schemes);
  return problem === undefined ? { kind: "text", text: value.trim() } : refused(problem);
}

function readUrlList(value: unknown, row: UrlListRow): SettingValue {
  const entries = listEntries(value);
  if (entries === undefined) return refused();
  const list: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") return refused(`entry ${index + 1} is not a text`);
    const problem = urlProblem(entry.trim(), row.schemes) ?? (row.pinned ? pinProblem(entry.trim()) : undefined);
    if (problem !== undefined) return refused(`entry ${index + 1}: ${problem}`);
    list.push(entry.trim());
  }
  return list.length === 0 ? { kind: "unset" } : { kind: "list", list };
}

/** A list, a list as JSON text, or addresses with commas between them; a comma inside an address does not part it. */
function listEntries(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.map((entry: unknown) => entry);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text === "") return [];
  if (!text.startsWith("[")) return text.split(/,(?=\s*[a-z][a-z0-9+.-]{0,20}:\/\/)/i);
  const json = parseJson(text);
  return json.kind === "value" && Array.isArray(json.value) ? json.value.map((entry: unknown) => entry) : undefined;
}

function urlProblem(text: string, schemes: UrlSchemes): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return "it is not an absolute URL";
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return `it has the scheme ${protocol.slice(0, 20)}`;
  return schemes === "http" || isLoopback(hostname) ? undefined : "it has the scheme http:, which is not protected";
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readIdentity(value: unknown): SettingValue {
  const fields = identityFields(value);
  if (fields === undefined) return refused();
  const ids = { clientId: fieldLike(fields, "clientId"), objectId: fieldLike(fields, "objectId") };
  for (const [key, id] of Object.entries(ids)) {
    if (id !== undefined && (typeof id !== "string" || !guid.test(id))) return refused(`${key} is not a GUID`);
  }
  if (ids.clientId !== undefined && ids.objectId !== undefined) {
    return refused("clientId and objectId are both set; keep one");
  }
  return { kind: "identity", clientId: textOrNothing(ids.clientId), objectId: textOrNothing(ids.objectId) };
}

/** Whatever the size of its letters: the Custom Script handler for Linux reads `ClientId`, and another identity must not take its place. */
function fieldLike(fields: JsonObject, name: string): unknown {
  const found = Object.entries(fields).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? undefined;
}

function identityFields(value: unknown): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string") return undefined;
  const json = parseJson(value);
  return json.kind === "value" && isJsonObject(json.value) ? json.value : undefined;
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
