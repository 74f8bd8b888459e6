import type { Status, StatusKind } from "../contract/status.ts";
import type { RunState, VerdictState } from "./stored-run.ts";

/** What stands in the file: texts that were shown once, but nothing says that nobody has changed them since. */
export interface StoredRunState extends Omit<RunState, "verdict"> {
  readonly verdict?: Omit<VerdictState, "status"> & { readonly status: StoredStatus };
}

interface StoredStatus extends Omit<Status, "message" | "substatuses"> {
  readonly message: string;
  readonly substatuses: readonly {
    readonly name: string;
    readonly status: StatusKind;
    readonly code: number;
    readonly message: string;
  }[];
}

/** Hand-written, not valibot: `enable` reads the state and must start fast. */
export function isRunState(value: unknown): value is StoredRunState {
  return (
    isRecord(value) &&
    value["version"] === 1 &&
    isCount(value["sequence"]) &&
    areTexts(value, ["vmId", "handlerVersion", "startedAt"]) &&
    isClock(value["clock"]) &&
    Array.isArray(value["timeline"]) &&
    value["timeline"].every(isTimelineEntry) &&
    (value["command"] === undefined || isCommand(value["command"])) &&
    (value["verdict"] === undefined || isVerdict(value["verdict"]))
  );
}

function isCommand(value: unknown): boolean {
  return (
    isRecord(value) &&
    areTexts(value, ["startedAt", "bootId"]) &&
    isCount(value["starts"]) &&
    (value["files"] === undefined || isTexts(value["files"])) &&
    (value["exit"] === undefined || isExit(value["exit"]))
  );
}

function isExit(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value["kind"]) {
    case "code":
      return isCount(value["code"]);
    case "signal":
      return areTexts(value, ["signal"]);
    case "not-started":
      return areTexts(value, ["reason"]);
    default:
      return false;
  }
}

function isClock(value: unknown): boolean {
  return isRecord(value) && areTexts(value, ["bootId"]) && areNumbers(value, ["usedMs", "atMonotonicMs"]);
}

function isTimelineEntry(value: unknown): boolean {
  return isRecord(value) && areTexts(value, ["time", "event"]) && areNumbers(value, ["seconds"]);
}

function isVerdict(value: unknown): boolean {
  return (
    isRecord(value) &&
    areTexts(value, ["decidedAt"]) &&
    areNumbers(value, ["afterSeconds"]) &&
    typeof value["final"] === "boolean" &&
    isStatus(value["status"])
  );
}

function isStatus(value: unknown): boolean {
  return (
    isRecord(value) &&
    areTexts(value, ["kind", "operation", "message"]) &&
    areNumbers(value, ["code"]) &&
    Array.isArray(value["substatuses"]) &&
    value["substatuses"].every(
      (item) => isRecord(item) && areTexts(item, ["name", "status", "message"]) && areNumbers(item, ["code"]),
    )
  );
}

function areTexts(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === "string");
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function areNumbers(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === "number" && Number.isFinite(value[key]));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
