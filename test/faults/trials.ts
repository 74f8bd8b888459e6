import { expect, jest } from "@jest/globals";
import type { SeenStatus } from "../../scripts/dev/start/agent-player.ts";
import { isTerminal } from "../lifecycle/lifecycle-machine.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createFaultMachine, type FaultMachine } from "./fault-machine.ts";
import { faultPlan, type FaultName } from "./fault-plan.ts";
import { randomFrom } from "../model/random.ts";

// One lost trial is a loss.
jest.retryTimes(0);

export interface Trial {
  readonly machine: FaultMachine;
  /** A number of its own for each trial: sequence and kind of damage. */
  readonly index: number;
  random(): number;
  /** Runs something that damages the status file itself; what the agent would see meanwhile does not count. */
  damage(action: () => Promise<void> | void): Promise<void>;
}

export interface Expected {
  readonly kind: "success" | "error";
  readonly message?: RegExp;
}

/**
 * Makes as many trials as planned. Each must end with the expected verdict in a status file that was readable for the agent
 * at every moment, without two checks at a time, and with nothing changed outside our folders.
 */
export async function survives(name: FaultName, trial: (trial: Trial) => Promise<Expected>): Promise<void> {
  const machine = await createFaultMachine();
  const lost: string[] = [];
  try {
    for (let index = 0; index < faultPlan[name].tries; index++) {
      const problems = await runTrial(machine, index, trial);
      lost.push(...problems.map((problem) => `trial ${String(index)}: ${problem}`));
    }
    lost.push(...machine.journal().filter((line) => line.startsWith("overlap")));
    lost.push(...machine.changesOutside());
  } finally {
    await machine.discard();
  }
  expect(lost).toEqual([]);
}

async function runTrial(
  machine: FaultMachine,
  index: number,
  trial: (trial: Trial) => Promise<Expected>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  let watch = machine.watchStatus(index);
  try {
    const expected = await trial({
      machine,
      index,
      random: randomFrom(index + 1),
      async damage(action) {
        problems.push(...watch.stop());
        await action();
        watch = machine.watchStatus(index);
      },
    });
    const status = await verdictOf(machine, index);
    if (status.kind !== expected.kind || expected.message?.test(status.message) === false) {
      problems.push(`${status.kind} instead of ${expected.kind}: ${status.message}`);
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    problems.push(...watch.stop());
  }
  return problems;
}

/** The verdict in the status file, whenever it comes. */
export function verdictOf({ agent }: FaultMachine, sequence: number): Promise<SeenStatus> {
  return waitUntil(
    `a verdict in ${String(sequence)}.status`,
    () => {
      const status = agent.status(sequence);
      return status !== undefined && isTerminal(status) && status;
    },
    { timeoutMs: 50_000, everyMs: 5, describe: () => agent.status(sequence) },
  );
}

/** Resolves when the command of `putWaiting` is under way. */
export async function untilRunning(machine: FaultMachine, sequence: number): Promise<void> {
  await waitUntil(`the command of ${String(sequence)} to run`, () => machine.isRunning(sequence), {
    timeoutMs: 30_000,
    everyMs: 5,
    describe: () => machine.agent.status(sequence),
  });
}
