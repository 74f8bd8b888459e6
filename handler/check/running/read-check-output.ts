import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemErrorCode } from "../../errors/handler-error.ts";
import { cleanText } from "../../text/clean-text.ts";
import { decodeText } from "../../text/decode-text.ts";
import { closedReason } from "../../reasons/reasons.ts";
import type { CheckReport } from "../../verdict/outcome.ts";

const maxBytes = 16 * 1024;
const maxValueLength = 1024;
const maxFacts = 50;
const maxProviders = 10;
const maxNextCheckSeconds = 300;
/** Nothing, a link that leads in a circle or nowhere, a name that no file can have, a socket. */
const notReadable: ReadonlySet<string> = new Set(["ENOENT", "ELOOP", "ENOTDIR", "ENXIO", "ENAMETOOLONG"]);

/** Reads what a check said of itself; a check that wrote nothing said nothing. */
export async function readCheckOutput(path: string): Promise<CheckReport> {
  // Without O_NONBLOCK a pipe in its place would hold us until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (notReadable.has(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  });
  if (file === undefined) return { facts: {} };
  try {
    if (!(await file.stat()).isFile()) return { facts: {} };
    const buffer = Buffer.alloc(maxBytes);
    const { bytesRead } = await file.read(buffer, 0, maxBytes, 0);
    return parseCheckOutput(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Tolerant: a line that follows no rule is counted and ignored, since a verdict must not hang on a stray `echo`. */
export function parseCheckOutput(bytes: Uint8Array): CheckReport {
  const values = new Map<string, string>();
  let ignoredLines = 0;
  for (const line of cleanText(decodeText(bytes)).split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [key, value] = splitLine(line);
    if (isKey(key) && isAllowed(key, value)) values.set(key, value);
    else ignoredLines += 1;
  }
  return { ...namedValues(values), ...(ignoredLines === 0 ? {} : { ignoredLines }), facts: factsOf(values) };
}

function splitLine(line: string): readonly [string, string] {
  const at = line.indexOf("=");
  if (at < 0) return ["", ""];
  return [line.slice(0, at).trim(), shorten(line.slice(at + 1).trim())];
}

function shorten(value: string): string {
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength).toWellFormed()}…` : value;
}

function isKey(key: string): boolean {
  return key.length <= 64 && /^[a-z][\da-z]*(?:-[\da-z]+)*$/u.test(key);
}

function isAllowed(key: string, value: string): boolean {
  switch (key) {
    case "reason":
      return /^[A-Z][\dA-Za-z]{0,63}$/u.test(value);
    case "next-check-seconds":
      return /^\d{1,6}$/u.test(value) && Number(value) > 0;
    default:
      return value !== "";
  }
}

function namedValues(values: ReadonlyMap<string, string>): Omit<CheckReport, "facts"> {
  const stage = values.get("stage");
  const reason = values.get("reason");
  const message = values.get("message");
  const providers = values
    .get("providers")
    ?.split(",")
    .map((name) => name.trim());
  const next = values.get("next-check-seconds");
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(reason === undefined ? {} : { reason: closedReason(reason) }),
    ...(message === undefined ? {} : { message }),
    ...(providers === undefined ? {} : { providers: providers.filter((name) => name !== "").slice(0, maxProviders) }),
    ...(next === undefined ? {} : { nextCheckSeconds: Math.min(Number(next), maxNextCheckSeconds) }),
  };
}

const namedKeys: ReadonlySet<string> = new Set(["stage", "reason", "message", "providers", "next-check-seconds"]);

function factsOf(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...values].filter(([key]) => !namedKeys.has(key)).slice(0, maxFacts));
}
