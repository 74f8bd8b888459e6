import { expect, test } from "@jest/globals";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createMachine } from "../handler/check/answers/answer-questions.ts";
import { answerOf } from "../handler/check/program/look-report.ts";
import { loadProgram } from "../handler/check/program/load-program.ts";
import { runHooks, type HookedAnswer } from "../handler/check/program/run-hooks.ts";
import { runLook } from "../handler/check/program/run-look.ts";
import { createHost } from "../handler/create-host.ts";
import type { Host } from "../handler/host.ts";
import { linux } from "../handler/platform/linux.ts";
import { bootstrapProviders } from "../handler/settings/settings.ts";
import { buildCheck } from "../publish/check-bundle.ts";
import type { Memory } from "../scripts/check/look.ts";
import { readScenarios, type Scenario } from "../scripts/dev/read-scenarios.ts";
import { differences } from "./support/check-differences.ts";
import { layOut, type ScenarioMachine } from "./support/scenario-machine.ts";

/**
 * Every scenario laid out as files and judged by the packaged form of the check, through the handler's own answers: what stands in
 * is systemctl, and for Windows reg, sc and tasklist (test/fixtures/scenario-bin).
 */
const scenarios = await readScenarios(join(import.meta.dirname, "fixtures/scenarios"));
const standIns = join(import.meta.dirname, "fixtures/scenario-bin");
const program = loadProgram((await buildCheck()).toString("utf8"), { limitMs: "none" });

test("there are at least 60 scenarios, of every provider", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  expect(new Set(scenarios.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(9);
});

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  "the check judges %s as the table says",
  async (_, scenario) => {
    const machine = await layOut(scenario);
    const look = lookerAt(machine, scenario);
    const wrong: string[] = [];
    for (const [index, expected] of scenario.expected.entries()) {
      const step = index === 0 ? undefined : scenario.steps[index - 1];
      if (step !== undefined) await machine.apply(step);
      wrong.push(...differences(expected, await look()));
      // The second look remembers what the first one asked to keep; the answer must be the same.
      wrong.push(...differences(expected, await look()).map((text) => `second look: ${text}`));
    }
    await machine.remove();
    expect(wrong).toEqual([]);
  },
);

function lookerAt(machine: ScenarioMachine, scenario: Scenario): () => Promise<HookedAnswer> {
  const real = createHost(linux);
  const platform = scenario.platform === "linux" ? linux : ({ ...linux, name: "windows" } as const);
  const host: Host = {
    ...real,
    root: machine.root,
    platform,
    now: () => new Date(machine.nowMs()),
    run: (file, args, options) =>
      real.run(file, args, { ...options, env: { ...options?.env, PATH: `${standIns}:${process.env["PATH"] ?? ""}` } }),
  };
  const signal = new AbortController().signal;
  const provider = bootstrapProviders.find((name) => name === scenario.setting) ?? "auto";
  const folder = join(machine.folder, "state");
  mkdirSync(folder);
  let memory: Memory = {};
  return async () => {
    const identity = await linux.machineIdentity(machine.root, host.run);
    const context = { system: scenario.platform, provider, elapsedMs: 0, timeoutMs: 1_200_000, memory };
    const { answer } = createMachine(host, identity);
    const end = await runLook({ host, program, context, answer, limitMs: 60_000, signal });
    if (end.kind === "result") memory = end.result.memory;
    if (scenario.platform === "windows") return answerOf(end);
    const settings = { bootstrapProvider: provider, timeoutSeconds: 1200 };
    const common = { host, settings, identity, signal, folder, elapsedMs: 0, limitMs: 60_000 };
    return (await runHooks({ ...common, marker: `scenario-${scenario.name}` }, answerOf(end))) ?? answerOf(end);
  };
}
