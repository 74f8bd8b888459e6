import { askAll, type Asking } from "./ask-many.ts";
import type { System } from "./evidence.ts";
import { reasons } from "./judgement.ts";
import { systemPath } from "./node-layouts.ts";
import { isOfThisBoot, type Moment } from "./observed.ts";
import type { PathAnswer } from "./questions.ts";

/** What a provider, or a script of the user's, says of its own failure: /run/cluster-api/bootstrap-failed.json. */
export interface FailureReport {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
  readonly next?: string;
  readonly retryable?: boolean;
  /** Last change of the file: a success that was written later wins. */
  readonly modifiedMs: number;
}

const longest = { reason: 64, message: 1024, next: 512 };

/** Undefined when there is none of this boot and this machine, or none that can be read (it may be half written). */
export function* observeFailureReport(moment: Moment, system: System): Asking<FailureReport | undefined> {
  const path = systemPath(system, "/run/cluster-api/bootstrap-failed.json");
  const [file] = yield* askAll([{ ask: "path", path }]);
  if (file?.kind === "absent") moment.remember["failure-report"] = "absent";
  if (file === undefined || file.kind === "absent" || !isOurs(moment, path, file)) return undefined;
  const [text] = yield* askAll([{ ask: "text", path }]);
  const fields = text?.kind === "text" ? parse(text.text) : undefined;
  return fields === undefined ? undefined : { path, ...fields, modifiedMs: file.modifiedMs };
}

/** On Windows it lies on the disk: it is this machine's if it appeared while watched, or is of this boot by the clock. */
function isOurs(moment: Moment, path: string, file: PathAnswer): boolean {
  if (moment.memory["failure-report"] !== "absent") return isOfThisBoot(moment, path, file);
  moment.remember["failure-report"] = "absent";
  return true;
}

function parse(text: string): Omit<FailureReport, "path" | "modifiedMs"> | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const next = words(fields["next"], longest.next);
  const retryable = fields["retryable"];
  return {
    reason: reasonOf(fields["reason"]),
    message: words(fields["message"], longest.message),
    ...(next !== "" && { next }),
    ...(typeof retryable === "boolean" && { retryable }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shown as it was given, with a prefix that keeps it apart from the reasons of the table. */
function reasonOf(value: unknown): string {
  const given = typeof value === "string" ? value.trim() : "";
  if (!/^[A-Za-z][A-Za-z0-9]*$/u.test(given)) return "BootstrapReportedFailed";
  const isKnown = reasons.some((reason) => reason === given) || given.startsWith("Custom");
  return (isKnown ? given : `Custom${given}`).slice(0, longest.reason);
}

function words(value: unknown, most: number): string {
  return typeof value === "string" ? value.replaceAll(/\s+/gu, " ").trim().slice(0, most) : "";
}
