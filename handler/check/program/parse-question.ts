import type { Question } from "../../../scripts/check/questions.ts";
import { isJsonObject } from "../../text/parse-json.ts";

const longestText = 1024;
const mostNames = 100;

/** A question as it came out of the check; undefined for one that this handler does not know. */
export function parseQuestion(value: unknown): Question | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ask } = value;
  switch (ask) {
    case "boot":
    case "machine":
    case "time":
      return { ask };
    case "path":
    case "certificate":
    case "text":
    case "log":
    case "mentions":
      return parseFileQuestion(value);
    default:
      return parseManagerQuestion(value);
  }
}

function parseManagerQuestion({ ask, port, key, folder, names, unit }: Record<string, unknown>): Question | undefined {
  switch (ask) {
    case "healthz":
      return isWhole(port) ? { ask, port } : undefined;
    case "registry":
      return isText(key) ? { ask, key } : undefined;
    case "names":
      return isText(folder) ? { ask, folder } : undefined;
    case "units":
    case "services":
      return isTexts(names) ? { ask, names } : undefined;
    case "processes":
      return parseProcessQuestion(unit);
    default:
      return undefined;
  }
}

function parseProcessQuestion(unit: unknown): Question | undefined {
  if (unit === undefined) return { ask: "processes" };
  return isText(unit) ? { ask: "processes", unit } : undefined;
}

function parseFileQuestion({ ask, path, ...rest }: Record<string, unknown>): Question | undefined {
  if (!isText(path)) return undefined;
  const { maxBytes, words } = rest;
  switch (ask) {
    case "path":
    case "certificate":
      return { ask, path };
    case "text":
    case "log":
      if (maxBytes === undefined) return { ask, path };
      return isWhole(maxBytes) && maxBytes > 0 ? { ask, path, maxBytes } : undefined;
    case "mentions":
      return isTexts(words) ? { ask, path, words } : undefined;
    default:
      return undefined;
  }
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestText;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= mostNames && value.every(isText);
}
