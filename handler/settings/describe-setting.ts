import { cleanText } from "../text/clean-text.ts";
import { cutText } from "../text/cut-text.ts";
import type { SettingRow } from "./setting-row.ts";

/** What a setting may be, as the end of a sentence: "a whole number from 30 to 5100". */
export function allowedValues(row: SettingRow): string {
  switch (row.type) {
    case "whole-number":
      return row.maximum > Number.MAX_SAFE_INTEGER
        ? "a whole number"
        : `a whole number from ${row.minimum} to ${row.maximum}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${row.values.join(", ")}`;
    case "text":
      return row.allowed;
    case "url":
      return row.schemes === "http" ? "an http or https URL" : "an https URL";
    case "url-list":
      return row.schemes === "http"
        ? "a list of http or https URLs (JSON, or with commas between them)"
        : "a list of https URLs (JSON, or with commas between them)";
    case "identity":
      return "an object with clientId or objectId (a GUID), or {} for the system-assigned identity";
  }
}

/** The present value for a person; only its type and length where it may be a secret. */
export function shownValue(value: unknown, quotable: boolean): string {
  if (quotable && isScalar(value)) return typeof value === "string" ? `"${quoted(value)}"` : String(value);
  if (typeof value === "string") return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list with ${value.length} ${value.length === 1 ? "entry" : "entries"}`;
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Outside text on one line and short. */
export function quoted(text: string): string {
  return cutText(cleanText(text.slice(0, 400)).replaceAll(/\s+/g, " "), 80, "…");
}
