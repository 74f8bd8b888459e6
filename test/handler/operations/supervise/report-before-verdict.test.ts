import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { enabledMachine } from "./handler-machine.ts";

const fails = 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });';

/** A machine whose check fails, and what lies there at each moment at which its failed status is seen. */
async function failedMachine() {
  const machine = await enabledMachine({ look: fails, settings: { aftercareSeconds: 0 }, factor: 1 });
  const seen = new Set<boolean>();
  // Asked for between the status and all that follows it.
  const now = (): Date => {
    if (machine.status()?.kind === "error") seen.add(existsSync(machine.under("logFolder/report.txt")));
    return machine.host.now();
  };
  return { machine, seen, run: async () => machine.run({ context: await machine.contextOf({ now }) }) };
}

test("whoever reads a failed status finds the report.txt that it names", async () => {
  const { machine, seen, run } = await failedMachine();
  expect(await run()).toBe("concluded");
  expect(machine.status()?.message).toContain(machine.under("logFolder/report.txt"));
  expect([...seen]).toEqual([true]);
  expect(existsSync(machine.under("logFolder/report.json"))).toBe(true);
  rmSync(machine.host.root, { recursive: true });
});

test("a report that cannot be written costs no verdict", async () => {
  const { machine, run } = await failedMachine();
  mkdirSync(join(machine.under("logFolder"), "report.txt.new/in-its-place"), { recursive: true });
  expect(await run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "error", message: expect.stringContaining("KubeadmFailed") });
  expect(machine.log()).toContain("report.txt could not be written before the verdict");
  rmSync(machine.host.root, { recursive: true });
});
