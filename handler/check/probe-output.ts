import { open } from "node:fs/promises";
import { systemErrorCode } from "../errors/handler-error.ts";
import type { CheckReport } from "./outcome.ts";
import { cleanText } from "./output-tail.ts";

const maxBytes = 16 * 1024;
const maxValueLength = 1024;
const maxFacts = 50;
const maxProviders = 10;
const maxNextCheckSeconds = 300;

/** Reads what a check said of itself; a check that wrote nothing said nothing. */
export async function readProbeOutput(path: string): Promise<CheckReport> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return { facts: {} };
  try {
    const buffer = Buffer.alloc(maxBytes);
    const { bytesRead } = await file.read(buffer, 0, maxBytes, 0);
    return parseProbeOutput(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Tolerant: a line that follows no rule is counted and ignored, since a verdict must not hang on a stray `echo`. */
export function parseProbeOutput(bytes: Uint8Array): CheckReport {
  const values = new Map<string, string>();
  let ignoredLines = 0;
  for (const line of cleanText(decode(bytes)).split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [key, value] = splitLine(line);
    if (isKey(key) && isAllowed(key, value)) values.set(key, value);
    else ignoredLines += 1;
  }
  return { ...namedValues(values), ...(ignoredLines === 0 ? {} : { ignoredLines }), facts: factsOf(values) };
}

/** Windows PowerShell 5 writes UTF-16 with a byte order mark when it redirects. */
function decode(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
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
  const providers = values.get("providers")?.split(",").map((name) => name.trim());
  const next = values.get("next-check-seconds");
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(providers === undefined ? {} : { providers: providers.filter((name) => name !== "").slice(0, maxProviders) }),
    ...(next === undefined ? {} : { nextCheckSeconds: Math.min(Number(next), maxNextCheckSeconds) }),
  };
}

const namedKeys: ReadonlySet<string> = new Set(["stage", "reason", "message", "providers", "next-check-seconds"]);

function factsOf(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...values].filter(([key]) => !namedKeys.has(key)).slice(0, maxFacts));
}
