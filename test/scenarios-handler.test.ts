import { afterAll, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { buildBundle } from "../scripts/dev/build-bundle.ts";
import { readScenarios } from "../scripts/dev/read-scenarios.ts";
import { layOut } from "./scripts/scenario-machine.ts";

const scenarios = await readScenarios(join(import.meta.dirname, "fixtures/scenarios"));
const linux = scenarios.filter(({ platform }) => platform === "linux");
const fakePath = join(import.meta.dirname, "fixtures/scenario-bin");
const driver = join(import.meta.dirname, "scripts/run-handler-main.ts");
/** What `capz-bootstrap run` answers; a machine that still waits reaches the deadline. */
const outcomes = {
  success: { exitCode: 0, outcome: "bootstrapped" },
  failed: { exitCode: 1, outcome: "failed" },
  waiting: { exitCode: 2, outcome: "deadline" },
} as const;
const outputSchema = v.object({
  BootstrapVerdict: v.object({ outcome: v.string(), summary: v.string(), providers: v.array(v.string()) }),
});
const program = await prepareProgram();

/** What the package holds beside the program: the bundle, made of the sources as they are. */
async function prepareProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handler-program-"));
  const bundle = join(folder, "bundle");
  await mkdir(bundle);
  for (const name of ["check.sh", "check.ps1", "rules.json"]) {
    await cp(join(import.meta.dirname, "../scripts", name), join(bundle, name));
  }
  await writeFile(join(bundle, "bundle.json"), await buildBundle(bundle));
  return folder;
}

afterAll(async () => {
  await rm(program, { recursive: true });
});

test.concurrent.each(linux.map((scenario) => [scenario.name, scenario] as const))(
  "the handler's verdict on %s is the table's",
  async (_, scenario) => {
    const machine = await layOut(scenario);
    for (const step of scenario.steps) await machine.apply(step);
    const settings = join(machine.folder, "settings.json");
    await writeFile(settings, JSON.stringify({ timeoutSeconds: "30", bootstrapProvider: scenario.setting }));
    const expected = scenario.expected.at(-1);
    if (expected === undefined) throw new Error(`${scenario.name} expects nothing`);
    const answer = await runHandler({ settings, root: machine.root, waits: expected.verdict === "waiting" });
    await machine.remove();
    const { BootstrapVerdict: verdict } = v.parse(outputSchema, JSON.parse(answer.output));
    expect({ exitCode: answer.exitCode, outcome: verdict.outcome }).toEqual(outcomes[expected.verdict]);
    if (expected.providers !== undefined) expect(verdict.providers).toEqual(expected.providers);
    const running = expected.facts["running"];
    if (running !== undefined && expected.verdict === "waiting") expect(verdict.summary).toContain(running);
  },
);

/** A machine that waits has a clock 30 times as fast: its deadline of 30 s comes after one. */
async function runHandler(request: {
  readonly settings: string;
  readonly root: string;
  readonly waits: boolean;
}): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const args = ["--no-warnings", driver, program, request.settings, request.waits ? "30" : "1"];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: `${fakePath}:${process.env["PATH"] ?? ""}`,
      CAPZ_BOOTSTRAP_ROOT: request.root,
    },
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { exitCode, output };
}
