import { spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ExpectedVerdict } from "../../scripts/dev/read-scenarios.ts";
import type { ScenarioMachine } from "./scenario-machine.ts";

const fakePath = join(import.meta.dirname, "../fixtures/scenario-bin");

export interface CheckAnswer {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly lines: Readonly<Record<string, string>>;
}

/** Runs a check script once on a scenario's machine, as the handler would; the state folder stays between runs. */
export async function runCheckScript(request: {
  readonly command: readonly [string, ...string[]];
  readonly machine: ScenarioMachine;
  readonly provider: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<CheckAnswer> {
  const { command, machine, provider, env } = request;
  const stateFolder = join(machine.folder, "state");
  const output = join(machine.folder, "output");
  await mkdir(stateFolder, { recursive: true });
  await rm(output, { force: true });
  const [program, ...args] = command;
  const child = spawn(program, args, {
    stdio: ["ignore", "inherit", "pipe"],
    env: {
      PATH: `${fakePath}:${process.env["PATH"] ?? ""}`,
      CAPZ_ROOT: machine.root,
      CAPZ_CHECK_OUTPUT: output,
      CAPZ_STATE_DIR: stateFolder,
      CAPZ_PROVIDER: provider,
      CAPZ_BOOT_ID: "5f4c2a4e-6d0e-4c55-9b4e-0a7e2f1f9d11",
      CAPZ_PROTOCOL: "1",
      ...env,
    },
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const text = await readFile(output, "utf8").catch(() => "");
  return { exitCode, stderr, lines: toLines(text) };
}

function toLines(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/\r?\n/u).filter((line) => line !== "");
  return Object.fromEntries(pairs.map((line) => [line.replace(/=.*/u, ""), line.replace(/^[^=]*=/u, "")]));
}

const verdicts: Readonly<Record<string, string>> = { "0": "success", "75": "waiting", "1": "failed" };

/** What differs from the expected verdict, as sentences; empty when nothing does. */
export function differences(expected: ExpectedVerdict, answer: CheckAnswer): readonly string[] {
  const { exitCode, stderr, lines } = answer;
  const line = (key: string): string => lines[key] ?? "absent";
  const rows: (readonly [what: string, wanted: string | undefined, actual: string])[] = [
    ["verdict", expected.verdict, verdicts[String(exitCode)] ?? `exit code ${String(exitCode)}`],
    ["stage", expected.stage, line("stage")],
    ["providers", expected.providers?.join(","), line("providers")],
    ["reason", expected.reason ?? "absent", line("reason")],
    ["standard error", "", stderr],
  ];
  const parts = Object.entries({ ...expected.facts, message: expected.messageContains ?? "" });
  const found = [
    ...rows.flatMap(([what, wanted, actual]) =>
      wanted === undefined || wanted === actual ? [] : [`${what}: wanted ${wanted}, is ${actual}`],
    ),
    ...parts.flatMap(([key, part]) =>
      line(key).includes(part) ? [] : [`${key}: wanted "…${part}…", is "${line(key)}"`],
    ),
  ];
  const isMute = expected.verdict === "failed" && line("message") === "absent";
  return isMute ? [...found, "a failure without a message"] : found;
}
