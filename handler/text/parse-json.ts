export type ParsedJson =
  | { readonly kind: "value"; readonly value: unknown }
  /** `reason` never quotes the text: it may be a secret (JSON.parse's own message quotes it). */
  | { readonly kind: "malformed"; readonly reason: string };

/** JSON.parse as a value instead of an exception; a leading BOM is tolerated. */
export function parseJson(text: string): ParsedJson {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(json);
    return { kind: "value", value };
  } catch (thrown) {
    return { kind: "malformed", reason: malformedReason(json, thrown) };
  }
}

function malformedReason(json: string, thrown: unknown): string {
  if (json.trim() === "") return "it is empty";
  const message = thrown instanceof Error ? thrown.message : "";
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  if (message.includes("end of JSON") || position >= json.trimEnd().length) {
    return `it ends too early, after ${json.length} characters`;
  }
  return Number.isNaN(position) ? "it is not JSON" : `it is not JSON from character ${position + 1} on`;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for `{…}`: not for null and not for a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
