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
}): Promise<CheckAnswer> {
  const { command, machine, provider } = request;
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
export function differences(expected: ExpectedVerdict, { exitCode, stderr, lines }: CheckAnswer): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, wanted: string | undefined, actual: string | undefined): void => {
    if (wanted !== undefined && actual !== wanted) found.push(`${what}: wanted ${wanted}, is ${actual ?? "absent"}`);
  };
  compare("verdict", expected.verdict, verdicts[String(exitCode)]);
  compare("stage", expected.stage, lines["stage"]);
  compare("providers", expected.providers?.join(","), lines["providers"]);
  compare("reason", expected.reason ?? "absent", lines["reason"] ?? "absent");
  if (!(lines["message"] ?? "").includes(expected.messageContains ?? "")) {
    found.push(`message: wanted "…${expected.messageContains ?? ""}…", is "${lines["message"] ?? ""}"`);
  }
  for (const [key, part] of Object.entries(expected.facts)) {
    if (!(lines[key] ?? "").includes(part)) found.push(`${key}: wanted "…${part}…", is "${lines[key] ?? ""}"`);
  }
  if (expected.verdict === "failed" && (lines["message"] ?? "") === "") found.push("a failure without a message");
  if (stderr !== "") found.push(`standard error: ${stderr}`);
  return found;
}
