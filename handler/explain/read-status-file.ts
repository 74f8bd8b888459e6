import { isJsonObject } from "../text/parse-json.ts";
import type { FoundStatus, FoundSubstatus } from "./explanation.ts";
import { listOf, textOf } from "./json-fields.ts";

/** `status/N.status` of the handler's folder on the machine: a list with one entry (WALinuxAgent: exthandlers, parse_ext_status). */
export function readStatusFile(value: unknown): FoundStatus | undefined {
  const [entry] = listOf(value);
  if (!isJsonObject(entry) || !isJsonObject(entry["status"])) return undefined;
  const status = entry["status"];
  if (textOf(status["status"]) === undefined) return undefined;
  const time = textOf(entry["timestampUTC"]);
  return {
    from: "status file",
    ...(time === undefined ? {} : { time }),
    message: formattedMessage(status["formattedMessage"]),
    ...(typeof status["code"] === "number" ? { code: status["code"] } : {}),
    substatuses: listOf(status["substatus"]).flatMap(substatusOf),
    notes: [],
  };
}

function substatusOf(value: unknown): readonly FoundSubstatus[] {
  if (!isJsonObject(value)) return [];
  return [{ name: textOf(value["name"]) ?? "", message: formattedMessage(value["formattedMessage"]) }];
}

function formattedMessage(value: unknown): string {
  return isJsonObject(value) ? (textOf(value["message"]) ?? "") : "";
}
