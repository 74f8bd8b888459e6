import type { LookResult, Memory } from "../../../scripts/check/look.ts";
import { cleanText } from "../../text/clean-text.ts";
import { headOf } from "../../text/cut-text.ts";
import { isJsonObject } from "../../text/parse-json.ts";

const longestText = 4096;
const mostTexts = 50;
const longestMemory = 4096;
const soonestLookMs = 250;
const latestLookMs = 300_000;

export type ParsedResult =
  { readonly kind: "valid"; readonly result: LookResult } | { readonly kind: "invalid"; readonly why: string };

/** A look's result as it came out of the check. Strict in the verdict; what else is not as it should be is left out. */
export function parseLookResult(value: unknown): ParsedResult {
  if (!isJsonObject(value)) return { kind: "invalid", why: "its result is not an object" };
  const { verdict, nextLookMs } = value;
  if (verdict !== "bootstrapped" && verdict !== "not-yet" && verdict !== "failed") {
    return { kind: "invalid", why: "its result names no verdict" };
  }
  const stage = matching(value["stage"], /^[a-z\d]+(?:-[a-z\d]+){0,20}$/u);
  if (stage === undefined) return { kind: "invalid", why: "its result names no stage" };
  const reason = verdict === "failed" ? matching(value["reason"], /^[A-Z][\dA-Za-z]{0,63}$/u) : undefined;
  const message = textOf(value["message"]);
  const result: LookResult = {
    verdict,
    stage,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(verdict === "failed" ? ownWords(value) : {}),
    providers: textsOf(value["providers"]),
    running: textsOf(value["running"]),
    remarks: textsOf(value["remarks"]),
    facts: factsOf(value["facts"]),
    nextLookMs: pauseOf(nextLookMs),
    decidedBy: textsOf(value["decidedBy"]),
    memory: memoryOf(value["memory"]),
  };
  return { kind: "valid", result };
}

/** Where a program on the machine reported the failure itself. */
function ownWords({ next, retryable }: Record<string, unknown>): Pick<LookResult, "next" | "retryable"> {
  const text = textOf(next);
  return { ...(text === undefined ? {} : { next: text }), ...(typeof retryable === "boolean" ? { retryable } : {}) };
}

function pauseOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return 5000;
  return Math.min(latestLookMs, Math.max(soonestLookMs, Math.round(value)));
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === "string" && value.length <= 64 && pattern.test(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = headOf(cleanText(headOf(value, longestText)).replace(/\s+/gu, " ").trim(), longestText);
  return text === "" ? undefined : text;
}

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, mostTexts)
    .map(textOf)
    .filter((text) => text !== undefined);
}

function factsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).slice(0, mostTexts);
  return Object.fromEntries(
    entries.flatMap(([key, text]) => {
      const fact = /^[a-z][\da-z]*(?:-[\da-z]+){0,20}$/u.test(key) && key.length <= 64 ? textOf(text) : undefined;
      return fact === undefined ? [] : [[key, fact] as const];
    }),
  );
}

/** A check remembers a few short texts; more than 4 KiB is a mistake, and forgotten as a whole. */
export function memoryOf(value: unknown): Memory {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const memory = Object.fromEntries(entries);
  return Buffer.byteLength(JSON.stringify(memory)) > longestMemory ? {} : memory;
}
