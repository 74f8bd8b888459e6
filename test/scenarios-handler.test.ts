import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { writeBundle } from "../scripts/dev/build-bundle.ts";
import { readScenarios, type ExpectedVerdict, type Scenario } from "../scripts/dev/read-scenarios.ts";
import { layOut, type ScenarioMachine } from "./support/scenario-machine.ts";

const scenarios = await readScenarios(join(import.meta.dirname, "fixtures/scenarios"));
const linux = scenarios.filter(({ platform }) => platform === "linux");
const fakePath = join(import.meta.dirname, "fixtures/scenario-bin");
const driver = join(import.meta.dirname, "scripts/run-handler-main.ts");
/** What `capz-bootstrap run` answers; a machine that still waits reaches the deadline. */
const outcomes = {
  success: { exitCode: "0", outcome: "bootstrapped" },
  failed: { exitCode: "1", outcome: "failed" },
  waiting: { exitCode: "2", outcome: "deadline" },
} as const;
const statusFile = "var/lib/capz-bootstrap/run/status/0.status";
const verdictSchema = v.object({ outcome: v.string(), summary: v.string(), providers: v.array(v.string()) });
const substatusSchema = v.object({ name: v.string(), formattedMessage: v.object({ message: v.string() }) });
const statusSchema = v.tuple([v.object({ status: v.object({ substatus: v.array(substatusSchema) }) })]);

const program = await prepareProgram();

/** What the package holds beside the program: the bundle, made of the sources as they are. */
async function prepareProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handler-program-"));
  await writeBundle(join(folder, "bundle"));
  return folder;
}

interface Laid {
  readonly scenario: Scenario;
  readonly expected: ExpectedVerdict;
  readonly machine: ScenarioMachine;
}

const laid = await Promise.all(linux.map(layOutWhole));

/** The machine after its last step, with the settings of the extension. */
async function layOutWhole(scenario: Scenario): Promise<Laid> {
  const machine = await layOut(scenario);
  for (const step of scenario.steps) await machine.apply(step);
  const settings = { timeoutSeconds: "30", bootstrapProvider: scenario.setting };
  await writeFile(join(machine.folder, "settings.json"), JSON.stringify(settings));
  const expected = scenario.expected.at(-1);
  if (expected === undefined) throw new Error(`${scenario.name} expects nothing`);
  return { scenario, expected, machine };
}

// One process for all: starting the handler anew for each would take most of the time.
beforeAll(async () => {
  // So fast that a deadline comes soon, and not so fast that it comes before the first look has begun.
  const machines = laid.map(({ expected, machine }) => `${expected.verdict === "waiting" ? 15 : 1}:${machine.folder}`);
  const child = spawn(process.execPath, ["--no-warnings", driver, program, ...machines], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: `${fakePath}:${process.env["PATH"] ?? ""}` },
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  expect(exitCode).toBe(0);
}, 300_000);

afterAll(async () => {
  await Promise.all([rm(program, { recursive: true }), ...laid.map(({ machine }) => machine.remove())]);
});

test.each(laid.map((one) => [one.scenario.name, one] as const))(
  "the handler's verdict on %s is the table's",
  async (_, { expected, machine }) => {
    const exitCode = await readFile(join(machine.folder, "exit-code"), "utf8");
    const [{ status }] = v.parse(statusSchema, JSON.parse(await readFile(join(machine.root, statusFile), "utf8")));
    const message = status.substatus.find(({ name }) => name === "BootstrapVerdict")?.formattedMessage.message ?? "{}";
    const verdict = v.parse(verdictSchema, JSON.parse(message));
    expect({ exitCode, outcome: verdict.outcome }).toEqual(outcomes[expected.verdict]);
    if (expected.providers !== undefined) expect(verdict.providers).toEqual(expected.providers);
    const running = expected.facts["running"];
    if (running !== undefined && expected.verdict === "waiting") expect(verdict.summary).toContain(running);
  },
);
