import { expect, jest, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { findSupervisor, killSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { createLifecycleMachine, waitForStatus, watchfulCommand, type LifecycleMachine } from "./lifecycle-machine.ts";
import { randomFrom } from "../model/random.ts";
import { waitUntil } from "../support/wait-until.ts";

// One loss in 200 is a loss.
jest.retryTimes(0);

const trials = 200;
/** Two machines at a time: as many as the smallest runner has cores. */
const machines = 2;
/** A machine on which supervisors start later than this is of no use. */
const longestMs = 10_000;

test(`kill -9 at ${String(trials)} random points, then enable: never a lost verdict, never a check twice at a time`, async () => {
  const built = packageForHost();
  const results = await Promise.all(
    Array.from({ length: machines }, (_, index) => killTrials(built, trials / machines, randomFrom(index + 1))),
  );
  const lost = results.flatMap(({ lost }) => lost);
  const overlaps = results.flatMap(({ overlaps }) => overlaps);
  expect(lost).toEqual([]);
  expect(overlaps).toEqual([]);
  // The kills must have hit supervisors at work, or the test proves nothing.
  expect(results.reduce((sum, { killed }) => sum + killed, 0)).toBeGreaterThan(trials / 2);
}, 900_000);

async function killTrials(built: ReturnType<typeof packageForHost>, count: number, random: () => number) {
  const { machine, agent, journal, discard } = createLifecycleMachine(built);
  const lost: string[] = [];
  let killed = 0;
  try {
    await agent.run("install", 0);
    // A busy machine starts supervisors late; the kills follow, or they hit nobody.
    let latestMs = Math.max(400, 3 * (await timeToStart({ machine, agent })));
    for (let sequence = 1; sequence <= count; sequence++) {
      const flag = `go-${String(sequence)}`;
      const passes = random() < 0.5;
      const command = watchfulCommand(machine.root, flag) + (passes ? "" : "; exit 3");
      const settings = { commandToExecute: command, graceSeconds: "0", restart: "always" };
      agent.putSettings(sequence, { publicSettings: settings });
      await agent.run("enable", sequence);
      await pause(random() * latestMs);
      const mayEnd = random() < 0.5;
      if (mayEnd) machine.write(`check/${flag}`, "");
      await pause(random() * 60);
      const holder = findSupervisor(agent, machine.root);
      if (holder?.sequence === sequence && isAlive(holder.pid)) killed++;
      else if (!mayEnd) latestMs = Math.min(latestMs * 1.2, longestMs);
      killSupervisor(agent, machine.root);
      machine.write(`check/${flag}`, "");
      await agent.run("enable", sequence);
      const status = await waitForStatus(agent, sequence);
      const expected = passes ? "success" : "error";
      if (status.kind !== expected) lost.push(`${String(sequence)}: ${status.kind}: ${status.message}`);
    }
  } finally {
    await discard();
  }
  return { lost, killed, overlaps: journal().filter((line) => line.startsWith("overlap")) };
}

/** Milliseconds from `enable` to a supervisor that holds the lock, of a command that ends at once. */
async function timeToStart({ machine, agent }: Pick<LifecycleMachine, "machine" | "agent">): Promise<number> {
  agent.putSettings(0, {
    publicSettings: { commandToExecute: watchfulCommand(machine.root, "go-0"), graceSeconds: "0" },
  });
  const started = performance.now();
  await agent.run("enable", 0);
  await waitUntil("the first supervisor", () => findSupervisor(agent, machine.root) !== undefined, { everyMs: 5 });
  const ms = performance.now() - started;
  machine.write("check/go-0", "");
  await waitForStatus(agent, 0);
  return ms;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("two enables at once, 200 times: never two supervisors", async () => {
  const { machine, agent, journal, discard } = createLifecycleMachine();
  try {
    await agent.run("install", 0);
    for (let sequence = 0; sequence < 200; sequence++) {
      const command = watchfulCommand(machine.root, `go-${String(sequence)}`);
      agent.putSettings(sequence, { publicSettings: { commandToExecute: command, graceSeconds: "0" } });
      const results = await Promise.all([agent.run("enable", sequence), agent.run("enable", sequence)]);
      expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      machine.write(`check/go-${String(sequence)}`, "");
      expect((await waitForStatus(agent, sequence)).kind).toBe("success");
    }
    const lines = journal();
    expect(lines.filter((line) => line.startsWith("overlap"))).toEqual([]);
    expect(lines.filter((line) => line === "start")).toHaveLength(200);
  } finally {
    await discard();
  }
}, 900_000);
