import { expect, test } from "@jest/globals";
import { join } from "node:path";
import { readScenarios } from "../scripts/dev/read-scenarios.ts";
import { differences, runCheckScript } from "./scripts/run-check-script.ts";
import { layOut } from "./scripts/scenario-machine.ts";

const scenarios = await readScenarios(join(import.meta.dirname, "fixtures/scenarios"));
const script = join(import.meta.dirname, "../scripts/check.sh");
const shells = [
  ["dash", "dash"],
  ["busybox sh", "busybox", "sh"],
] as const;

test("there are at least 60 scenarios, of every provider", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  expect(new Set(scenarios.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(9);
});

const linux = scenarios.filter(({ platform }) => platform === "linux");

for (const [shell, ...command] of shells) {
  test.each(linux.map((scenario) => [scenario.name, scenario] as const))(
    `check.sh under ${shell} judges %s as the table says`,
    async (_, scenario) => {
      const machine = await layOut(scenario);
      const [program, ...args] = command;
      const wrong: string[] = [];
      for (const [index, expected] of scenario.expected.entries()) {
        const step = index === 0 ? undefined : scenario.steps[index - 1];
        if (step !== undefined) await machine.apply(step);
        const request = { command: [program, ...args, script], machine, provider: scenario.setting } as const;
        wrong.push(...differences(expected, await runCheckScript(request)));
        // The second run reads what the first one kept; the answer must be the same.
        wrong.push(...differences(expected, await runCheckScript(request)).map((text) => `second run: ${text}`));
      }
      await machine.remove();
      expect(wrong).toEqual([]);
    },
  );
}
