import { PublishError } from "./publish-error.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Member `key` of a JSON object, or undefined when the value is no object or has no such member. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}

/** Member `key` as a text that is not empty; `where` names the file in the error. */
export function readText(value: unknown, key: string, where: string): string {
  const text = member(value, key);
  if (typeof text === "string" && text !== "") return text;
  throw new PublishError(
    `${where} has no text "${key}": it holds ${JSON.stringify(text)}.`,
    `Give "${key}" in ${where}.`,
  );
}

export function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
