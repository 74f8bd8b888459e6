import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";
import type { StatusKind } from "./status.ts";

/** What the guest agent makes of a status file (WALinuxAgent: exthandlers, parse_ext_status; observed row by row). */
export type AgentView =
  | { readonly kind: "absent" }
  | {
      readonly kind: "valid";
      readonly status: StatusKind;
      readonly code: number;
      readonly message: string;
      readonly substatuses: readonly string[];
    }
  | { readonly kind: "malformed"; readonly effect: MalformedEffect; readonly reason: string };

/** `error-1012`: this extension fails; `null-status`: never terminal; `machine-lost`: no status of the whole VM is uploaded. */
type MalformedEffect = "error-1012" | "null-status" | "machine-lost";

const sizeLimitCharacters = 131_072;

export function parseStatus(bytes: Uint8Array): AgentView {
  const text = decodeStrictly(bytes);
  if (text === undefined) return malformed("machine-lost", "it is not UTF-8");
  if (text.startsWith("\ufeff")) return malformed("error-1012", "it begins with a byte order mark");
  const json = parseJson(text);
  if (json.kind === "malformed") return malformed("error-1012", json.reason);
  if (json.value === null) return malformed("null-status", "it is null");
  if (!Array.isArray(json.value)) return malformed("error-1012", "it is not a list");
  if (json.value.length === 0) return malformed("null-status", "the list is empty");
  return parseItem(json.value[0], text.length > sizeLimitCharacters);
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parseItem(item: unknown, oversized: boolean): AgentView {
  const status = readStatusObject(item);
  if (status.kind === "bad") return status.view;
  const message = readMessage(status.object);
  if (message.kind === "bad") return message.view;
  const substatuses = readSubstatuses(status.object["substatus"], oversized);
  if (substatuses.kind === "bad") return substatuses.view;
  if (oversized && message.text === undefined) return malformed("machine-lost", "it is too long and has no message");
  const code = status.object["code"];
  return {
    kind: "valid",
    // Any other value silently becomes an error.
    status: statusKindOf(status.object["status"]) ?? "error",
    code: typeof code === "number" ? code : 0,
    message: message.text ?? "",
    substatuses: substatuses.names,
  };
}

interface Bad {
  readonly kind: "bad";
  readonly view: AgentView;
}

function bad(effect: MalformedEffect, reason: string): Bad {
  return { kind: "bad", view: malformed(effect, reason) };
}

function readStatusObject(item: unknown): { readonly kind: "good"; readonly object: JsonObject } | Bad {
  if (typeof item === "string") return bad("error-1012", "its entry is a text");
  if (!isJsonObject(item)) return bad("machine-lost", "its entry is not an object");
  if (!("status" in item)) return bad("error-1012", "status is missing");
  const object = item["status"];
  if (!isJsonObject(object)) return bad("machine-lost", "status is not an object");
  if (!("status" in object)) return bad("error-1012", "status.status is missing");
  return { kind: "good", object };
}

type Message = { readonly kind: "good"; readonly text: string | undefined } | Bad;

function readMessage(holder: JsonObject): Message {
  const formatted = holder["formattedMessage"] ?? undefined;
  if (formatted === undefined) return { kind: "good", text: undefined };
  if (typeof formatted === "string" && formatted.includes("lang") && formatted.includes("message")) {
    return bad("machine-lost", "formattedMessage is a text");
  }
  if (!isJsonObject(formatted) || !("lang" in formatted) || !("message" in formatted)) {
    return bad("error-1012", "formattedMessage lacks lang or message");
  }
  const text = formatted["message"];
  if (typeof text === "string" && text.isWellFormed()) return { kind: "good", text };
  return bad("machine-lost", "message is not a text that can be encoded");
}

function readSubstatuses(
  value: unknown,
  oversized: boolean,
): { readonly kind: "good"; readonly names: readonly string[] } | Bad {
  const items = value ?? [];
  if (!Array.isArray(items)) return bad("error-1012", "substatus is not a list");
  const names: string[] = [];
  for (const item of items.map((entry: unknown) => entry)) {
    if (item === null) continue;
    const name = readSubstatusName(item, oversized);
    if (typeof name !== "string") return name;
    names.push(name);
  }
  return { kind: "good", names };
}

function readSubstatusName(item: unknown, oversized: boolean): string | Bad {
  if (!isJsonObject(item) || statusKindOf(item["status"]) === undefined) {
    return bad("error-1012", "a substatus has no valid status");
  }
  const message = readMessage(item);
  if (message.kind === "bad") return message;
  const name = typeof item["name"] === "string" ? item["name"] : undefined;
  if (oversized && (message.text === undefined || name === undefined)) {
    return bad("machine-lost", "it is too long and a substatus has no name or message");
  }
  return name ?? "";
}

function statusKindOf(value: unknown): StatusKind | undefined {
  return (["transitioning", "success", "warning", "error"] as const).find((kind) => kind === value);
}

function malformed(effect: MalformedEffect, reason: string): AgentView {
  return { kind: "malformed", effect, reason };
}
