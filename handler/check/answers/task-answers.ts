import type { Answer } from "../../../scripts/check/questions.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { cannotTell, known } from "./answer.ts";
import type { ProgramView } from "./program-view.ts";
import { whyNot } from "./unit-answers.ts";

/** It asks WMI, which a booting machine starts for it. */
const timeLimitMs = 20_000;
const mostProcesses = 2000;

/** The processes of a Windows machine by `tasklist.exe`, names alone: it does not say how old they are. */
export async function answerTasks({ run, program, env }: ProgramView): Promise<Answer<"processes">> {
  const result = await run(program, ["/fo", "csv", "/nh"], { timeoutMs: timeLimitMs, env });
  if (result.kind !== "exited" || result.code !== 0) return cannotTell(`tasklist.exe ${whyNot(result, timeLimitMs)}`);
  const names = decodeOutput(result.stdout)
    .split(/\r?\n/u)
    .map((line) => /^"(?<name>[^"]{1,260})","\d+"/u.exec(line)?.groups?.["name"])
    .filter((name) => name !== undefined);
  if (names.length === 0) return cannotTell("tasklist.exe names no process");
  return known<"processes">(names.slice(0, mostProcesses).map((name) => ({ name, ageMs: 0 })));
}
