import { expect, test } from "@jest/globals";
import { join } from "node:path";
import { readScenarios, type ExpectedVerdict, type Scenario } from "../../../scripts/dev/read-scenarios.ts";
import type { LookResult } from "../../../scripts/check/look.ts";
import { lookAt } from "./machine-of.ts";
import { afterStep, shapeOf } from "./scenario-shape.ts";

const scenarios = await readScenarios(join(import.meta.dirname, "../../fixtures/scenarios"));
const words = { success: "bootstrapped", failed: "failed", waiting: "not-yet" } as const;

/** Hooks are programs: the handler runs them after the check. */
const withoutHooks = scenarios.filter(({ name }) => !name.startsWith("hook-"));

test.each(withoutHooks.map((scenario) => [scenario.name, scenario] as const))(
  "%s is judged as the table says, at the first look and at the second",
  (_, scenario) => {
    expect(judge(scenario)).toEqual([]);
  },
);

function judge(scenario: Scenario): readonly string[] {
  let shape = shapeOf(scenario);
  let memory = {};
  const wrong: string[] = [];
  for (const [index, expected] of scenario.expected.entries()) {
    const step = index === 0 ? undefined : scenario.steps[index - 1];
    if (step !== undefined) shape = afterStep(shape, step);
    for (const look of ["first", "second"]) {
      const result = lookAt({ ...shape, memory });
      memory = result.memory;
      wrong.push(...differences(expected, result).map((text) => `${look} look: ${text}`));
    }
  }
  return wrong;
}

function differences(expected: ExpectedVerdict, result: LookResult): readonly string[] {
  const facts: Readonly<Record<string, string>> = {
    ...result.facts,
    remark: result.remarks.join("; "),
    running: result.running.join(", "),
  };
  const wrong: string[] = [];
  const compare = (what: string, wanted: string | undefined, got: string | undefined): void => {
    if (wanted !== undefined && wanted !== got)
      wrong.push(
        `${what}: expected ${wanted}, got ${got ?? "nothing"} (${result.stage}, ${result.reason ?? ""}, ${result.message ?? ""})`,
      );
  };
  compare("verdict", words[expected.verdict], result.verdict);
  compare("reason", expected.reason, result.reason);
  compare("stage", expected.stage, result.stage);
  compare("providers", expected.providers?.join(","), result.providers.join(","));
  if (expected.messageContains !== undefined && result.message?.includes(expected.messageContains) !== true) {
    wrong.push(`message: expected ${expected.messageContains}, got ${result.message ?? "nothing"}`);
  }
  for (const [name, value] of Object.entries(expected.facts)) {
    if (facts[name]?.includes(value) !== true)
      wrong.push(`${name}: expected ${value}, got ${facts[name] ?? "nothing"}`);
  }
  return wrong;
}
