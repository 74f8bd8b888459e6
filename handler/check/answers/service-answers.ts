import type { Answer, ServiceState } from "../../../scripts/check/questions.ts";
import type { RunProcess } from "../../host.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { cannotTell, known } from "./answer.ts";
import { whyNot } from "./unit-answers.ts";

const timeLimitMs = 10_000;
const mostServices = 20;
/** ERROR_SERVICE_DOES_NOT_EXIST, which sc.exe gives as its exit code. */
const noSuchService = 1060;

/** SERVICE_STATUS.dwCurrentState of the service control manager (winsvc.h). */
const states = [
  "unknown",
  "stopped",
  "start-pending",
  "stop-pending",
  "running",
  "continue-pending",
  "pause-pending",
  "paused",
] as const;
/** QUERY_SERVICE_CONFIG.dwStartType (winsvc.h): boot, system, automatic, on demand, disabled. */
const startTypes = ["boot", "boot", "automatic", "manual", "disabled"] as const;

export interface ProgramView {
  readonly run: RunProcess;
  /** Absolute path on Windows; a bare name where a test's stand-in is on the PATH. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function answerServices(view: ProgramView, asked: readonly string[]): Promise<Answer<"services">> {
  const names = [...new Set(asked)];
  if (names.length > mostServices || !names.every((name) => /^[\w$][\w.$ -]{0,255}$/u.test(name))) {
    return cannotTell("these are not names of services");
  }
  const services: Record<string, ServiceState> = {};
  for (const name of names) {
    const state = await askService(view, name);
    if (typeof state === "string") return cannotTell(state);
    services[name] = state;
  }
  return known<"services">(services);
}

async function askService(view: ProgramView, name: string): Promise<ServiceState | string> {
  const status = await numbersOf(view, "query", name);
  if (typeof status === "string") return status;
  if (status.isMissing) return { kind: "missing" };
  const config = await numbersOf(view, "qc", name);
  if (typeof config === "string") return config;
  const [, state = 0, exitCode] = status.numbers;
  const [, start] = config.numbers;
  return {
    kind: "service",
    state: states[state] ?? "unknown",
    start: (start === undefined ? undefined : startTypes[start]) ?? "unknown",
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/**
 * The numbers behind the colons, in the order of the structure that sc.exe prints: type, state, exit code (query); type,
 * start type (qc). Words and labels are in the language of the system, so neither is read.
 */
async function numbersOf(
  { run, program, env }: ProgramView,
  verb: "query" | "qc",
  name: string,
): Promise<{ readonly isMissing: boolean; readonly numbers: readonly number[] } | string> {
  const result = await run(program, [verb, name], { timeoutMs: timeLimitMs, env });
  if (result.kind !== "exited") return `sc.exe ${whyNot(result, timeLimitMs)}`;
  const text = decodeOutput(result.stdout);
  if (result.code === 0) return { isMissing: false, numbers: parseNumbers(text, verb) };
  // In its text, too, the number stands alone: "… FAILED 1060:".
  if (result.code === noSuchService || /\b1060:/u.test(text)) return { isMissing: true, numbers: [] };
  return `sc.exe ${whyNot(result, timeLimitMs)}`;
}

export function parseNumbers(text: string, verb: "query" | "qc"): readonly number[] {
  const values = text.split(/\r?\n/u).flatMap((line) => {
    const at = line.indexOf(":");
    return at > 0 && /^\s/u.test(line) ? [line.slice(at + 1).trim()] : [];
  });
  // The type comes first and is printed in hexadecimal.
  return values
    .slice(0, 3)
    .map((value, index) => {
      const digits = /^(?:0x)?[\da-f]{1,8}/iu.exec(value)?.[0] ?? "";
      return index === 0 || digits.startsWith("0x") ? Number.parseInt(digits, 16) : Number.parseInt(digits, 10);
    })
    .slice(0, verb === "qc" ? 2 : 3);
}
