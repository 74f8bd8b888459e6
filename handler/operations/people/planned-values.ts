import { isJsonObject, type JsonObject } from "../../text/parse-json.ts";

const deepest = 40;

/** What a plan will make; it also shows what was there before, and each change once more. */
export function plannedOf(document: JsonObject): unknown {
  if (!isJsonObject(document["planned_values"])) return document;
  const { planned_values: planned, resource_changes: changes } = document;
  const unknown = Array.isArray(changes) ? changes.filter(isUnknownProtected).map(({ address }) => address) : [];
  return withUnknown({ planned }, new Set(unknown));
}

/** A change of an extension whose protected settings Terraform knows only when it applies the plan. */
function isUnknownProtected(entry: unknown): entry is { readonly address: string } {
  if (!isJsonObject(entry) || !isJsonObject(entry["change"])) return false;
  const { after_unknown: unknown } = entry["change"];
  return isJsonObject(unknown) && unknown["protected_settings"] === true && typeof entry["address"] === "string";
}

function withUnknown(value: unknown, addresses: ReadonlySet<unknown>, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withUnknown(item, addresses, depth + 1));
  if (!isJsonObject(value)) return value;
  const { address, values } = value;
  if (addresses.has(address) && isJsonObject(values))
    return { ...value, values: { ...values, [unknownUntilApply]: true } };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withUnknown(item, addresses, depth + 1)]));
}

export const unknownUntilApply = "protected_settings known after apply";
