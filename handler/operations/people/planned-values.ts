import { isJsonObject, type JsonObject } from "../../text/parse-json.ts";

const deepest = 40;

/** What a plan will make; it also shows what was there before, and each change once more. */
export function plannedOf(document: JsonObject): unknown {
  if (!isJsonObject(document["planned_values"])) return document;
  const { planned_values: planned, resource_changes: changes } = document;
  const unknown = Array.isArray(changes) ? changes.flatMap(unknownProtected) : [];
  return unknown.length === 0 ? { planned } : withUnknown({ planned }, new Set(unknown));
}

/** Address of an extension whose protected settings Terraform knows only when it applies the plan. */
function unknownProtected(entry: unknown): readonly string[] {
  if (!isJsonObject(entry) || !isJsonObject(entry["change"])) return [];
  const { after_unknown: unknown } = entry["change"];
  const address = entry["address"];
  return isJsonObject(unknown) && unknown["protected_settings"] === true && typeof address === "string"
    ? [address]
    : [];
}

function withUnknown(value: unknown, addresses: ReadonlySet<string>, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withUnknown(item, addresses, depth + 1));
  if (!isJsonObject(value)) return value;
  const { address, values } = value;
  if (typeof address === "string" && addresses.has(address) && isJsonObject(values))
    return { ...value, values: { ...values, [unknownUntilApply]: true } };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withUnknown(item, addresses, depth + 1)]));
}

export const unknownUntilApply = "protected_settings known after apply";
