import type { Answer, ServiceState } from "../../../scripts/check/questions.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { cannotTell, known } from "./answer.ts";
import { serviceKey } from "./ask-ahead.ts";
import { answerRegistry } from "./registry-answers.ts";
import type { ProgramView } from "./program-view.ts";
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
/** QUERY_SERVICE_CONFIG.dwStartType (winsvc.h), kept as Start in the registry: boot, system, automatic, on demand, disabled. */
const startTypes = ["boot", "boot", "automatic", "manual", "disabled"] as const;

/** The programs that tell of services: `sc` how they are, `reg` whether they start by themselves. */
export interface ServiceView {
  readonly sc: ProgramView;
  readonly reg: ProgramView;
}

export async function answerServices(view: ServiceView, asked: readonly string[]): Promise<Answer<"services">> {
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

async function askService(view: ServiceView, name: string): Promise<ServiceState | string> {
  const status = await queryService(view.sc, name);
  if (typeof status === "string") return status;
  if (status.isMissing) return { kind: "missing" };
  const [, number = 0, exitCode] = status.numbers;
  const state = states[number] ?? "unknown";
  const start = state === "stopped" ? await askStart(view.reg, name) : "unknown";
  return { kind: "service", state, start, ...(exitCode === undefined ? {} : { exitCode }) };
}

/** Where the service manager itself keeps it. Asked of a stopped service alone: a process less for every other one. */
async function askStart(reg: ProgramView, name: string): Promise<(typeof startTypes)[number] | "unknown"> {
  const answer = await answerRegistry(reg, serviceKey(name));
  if (answer.kind !== "known" || answer.value.kind !== "values") return "unknown";
  return startTypes[Number(answer.value.values["Start"] ?? Number.NaN)] ?? "unknown";
}

/**
 * The numbers behind the colons, in the order of the structure that sc.exe prints: type, state, exit code. Words and labels
 * are in the language of the system, so neither is read.
 */
async function queryService(
  { run, program, env }: ProgramView,
  name: string,
): Promise<{ readonly isMissing: boolean; readonly numbers: readonly number[] } | string> {
  const result = await run(program, ["query", name], { timeoutMs: timeLimitMs, env });
  if (result.kind !== "exited") return `sc.exe ${whyNot(result, timeLimitMs)}`;
  const text = decodeOutput(result.stdout);
  if (result.code === 0) return { isMissing: false, numbers: parseNumbers(text) };
  // In its text, too, the number stands alone: "… FAILED 1060:".
  if (result.code === noSuchService || /\b1060:/u.test(text)) return { isMissing: true, numbers: [] };
  return `sc.exe ${whyNot(result, timeLimitMs)}`;
}

export function parseNumbers(text: string): readonly number[] {
  const values = text.split(/\r?\n/u).flatMap((line) => {
    const at = line.indexOf(":");
    return at > 0 && /^\s/u.test(line) ? [line.slice(at + 1).trim()] : [];
  });
  // The type comes first and is printed in hexadecimal.
  return values.slice(0, 3).map((value, index) => {
    const digits = /^(?:0x)?[\da-f]{1,8}/iu.exec(value)?.[0] ?? "";
    return index === 0 || digits.startsWith("0x") ? Number.parseInt(digits, 16) : Number.parseInt(digits, 10);
  });
}
