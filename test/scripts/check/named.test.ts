import { expect, test } from "@jest/globals";
import type { Memory } from "../../../scripts/check/look.ts";
import { lookAt } from "./machine-of.ts";
import { namedScenarios } from "./named/all.ts";
import type { NamedScenario } from "./named/named-scenario.ts";

const words = { success: "bootstrapped", failed: "failed", waiting: "not-yet" } as const;

test("no two machines have one name", () => {
  const names = namedScenarios.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(namedScenarios.map((scenario) => [scenario.name, scenario] as const))(
  "%s is judged as the table says",
  (_, scenario) => {
    const { got, wanted } = judge(scenario);
    expect(got).toEqual(wanted);
  },
);

function judge({ looks }: NamedScenario): { readonly got: readonly unknown[]; readonly wanted: readonly unknown[] } {
  let memory: Memory = {};
  const got: unknown[] = [];
  for (const { machine } of looks) {
    const result = lookAt({ ...machine, memory });
    memory = result.memory;
    got.push({ ...result, remarks: result.remarks.join("; ") });
  }
  return { got, wanted: looks.map(wanted) };
}

function wanted({ machine: _, verdict, says, remarks, ...exactly }: NamedScenario["looks"][number]): unknown {
  return expect.objectContaining({
    verdict: words[verdict],
    ...exactly,
    ...(says !== undefined && { message: expect.stringContaining(says) }),
    ...(remarks !== undefined && { remarks: expect.stringContaining(remarks) }),
  });
}
