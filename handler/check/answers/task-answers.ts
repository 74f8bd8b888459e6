import type { Answer, ProcessSeen } from "../../../scripts/check/questions.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { parseWmicTable, parseWmiTime } from "../../platform/process-table-windows.ts";
import { cannotTell, known } from "./answer.ts";
import { kubeadmCommand } from "./kubeadm-process.ts";
import type { ProgramView } from "./program-view.ts";
import { whyNot } from "./unit-answers.ts";

/** It asks WMI, which a booting machine starts for it. */
const timeLimitMs = 20_000;
const mostProcesses = 2000;

export interface TaskView {
  readonly tasklist: ProgramView;
  readonly wmic: ProgramView;
  /** How long the system runs: no process is older, whatever a clock that was set says. */
  readonly uptimeMs: number;
  readonly nowMs: number;
}

/**
 * The processes of a Windows machine by `tasklist.exe`, names alone: it does not say how old they are. Where kubeadm is among them, WMIC is
 * asked for its arguments and its age; Windows Server has it up to 2022, and without it neither is told.
 */
export async function answerTasks(view: TaskView): Promise<Answer<"processes">> {
  const answer = await askTasklist(view.tasklist);
  if (answer.kind !== "known" || !answer.value.some(({ name }) => isKubeadm(name))) return answer;
  const told = await askWmic(view);
  // Two that came and went in between are not taken for each other.
  const others = answer.value.filter(({ name }) => !isKubeadm(name));
  return told.length === answer.value.length - others.length ? known<"processes">([...others, ...told]) : answer;
}

function isKubeadm(name: string): boolean {
  return name.toLowerCase() === "kubeadm.exe";
}

async function askWmic({ wmic: { run, program, env }, uptimeMs, nowMs }: TaskView): Promise<readonly ProcessSeen[]> {
  const asked = ["process", "where", "name='kubeadm.exe'", "get", "CommandLine,CreationDate,ProcessId"];
  const result = await run(program, asked, { timeoutMs: timeLimitMs, env });
  if (result.kind !== "exited" || result.code !== 0) return [];
  return parseWmicTable(decodeOutput(result.stdout)).map((cells) => {
    const startedMs = parseWmiTime(cells.get("creationdate")) ?? nowMs;
    const ageMs = Math.max(0, Math.min(nowMs - startedMs, uptimeMs));
    const command = kubeadmCommand(argumentsOf(cells.get("commandline") ?? ""));
    return { name: "kubeadm.exe", ageMs, ...(command !== undefined && { command }) };
  });
}

/** Quotes tell nothing here: a word in a quoted path that is one of kubeadm's speaks for a kubeadm at work. */
function argumentsOf(commandLine: string): readonly string[] {
  return commandLine.replaceAll('"', " ").trim().split(/\s+/u);
}

async function askTasklist({ run, program, env }: ProgramView): Promise<Answer<"processes">> {
  const result = await run(program, ["/fo", "csv", "/nh"], { timeoutMs: timeLimitMs, env });
  if (result.kind !== "exited" || result.code !== 0) return cannotTell(`tasklist.exe ${whyNot(result, timeLimitMs)}`);
  const names = decodeOutput(result.stdout)
    .split(/\r?\n/u)
    .map((line) => /^"(?<name>[^"]{1,260})","\d+"/u.exec(line)?.groups?.["name"])
    .filter((name) => name !== undefined);
  if (names.length === 0) return cannotTell("tasklist.exe names no process");
  return known<"processes">(names.slice(0, mostProcesses).map((name) => ({ name, ageMs: 0 })));
}
