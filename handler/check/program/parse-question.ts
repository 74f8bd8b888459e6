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
    case "healthz":
      return Number.isInteger(value["port"]) ? { ask, port: Number(value["port"]) } : undefined;
    case "registry":
      return isText(value["key"]) ? { ask, key: value["key"] } : undefined;
    case "names":
      return isText(value["folder"]) ? { ask, folder: value["folder"] } : undefined;
    case "units":
    case "services":
      return isTexts(value["names"]) ? { ask, names: value["names"] } : undefined;
    case "processes":
      if (value["unit"] === undefined) return { ask };
      return isText(value["unit"]) ? { ask, unit: value["unit"] } : undefined;
    default:
      return parseFileQuestion(value);
  }
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
      return typeof maxBytes === "number" && Number.isInteger(maxBytes) && maxBytes > 0
        ? { ask, path, maxBytes }
        : undefined;
    case "mentions":
      return isTexts(words) ? { ask, path, words } : undefined;
    default:
      return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestText;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= mostNames && value.every(isText);
}
