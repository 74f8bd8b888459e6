import { beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readRunState } from "../../handler/state/run-state.ts";
import type { HandlerSettings } from "../../scripts/dev/start/agent-player.ts";
import { packageForHost, type BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { findSupervisor, killSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { createLifecycleMachine, waitForStatus, watchfulCommand, type LifecycleMachine } from "./lifecycle-machine.ts";
import { randomFrom } from "../model/random.ts";
import { waitUntil } from "../support/wait-until.ts";

/** Two machines at a time: as many as the smallest runner has cores. */
const machines = 2;
/** A machine on which supervisors start later than this is of no use. */
const longestMs = 10_000;
/** The number of a trial for each start of its check. */
const startsFile = "check/starts";

interface Results {
  /** Verdicts that did not come, or were others. */
  readonly lost: readonly string[];
  /** What the two calls of `enable` said that should have said nothing. */
  readonly refused: readonly string[];
  /** Checks that were started once too often. */
  readonly again: readonly string[];
  readonly overlaps: readonly string[];
  /** Trials whose supervisor was at work when it was killed. */
  readonly killed: number;
}

/**
 * The tests of a file: `trials` machines' lives, each of which is both, two calls of `enable` in the same moment and a kill of what came of
 * them.
 */
export function killAtRandomPoints(trials: number): void {
  let results: readonly Results[] = [];

  beforeAll(async () => {
    const built = packageForHost();
    const all = Array.from({ length: machines }, (_, index) =>
      runTrials(built, trials / machines, randomFrom(index + 1)),
    );
    results = await Promise.all(all);
  }, 900_000);

  test(`kill -9 at ${String(trials)} random points, then enable: never a lost verdict, never a check twice at a time`, () => {
    expect(results.flatMap(({ lost }) => lost)).toEqual([]);
    expect(results.flatMap(({ overlaps }) => overlaps)).toEqual([]);
    // The kills must have hit supervisors at work, or the test proves nothing.
    expect(results.reduce((sum, { killed }) => sum + killed, 0)).toBeGreaterThan(trials / 2);
  });

  test(`two enables at once, ${String(trials)} times: never two supervisors`, () => {
    expect(results).toHaveLength(machines);
    expect(results.flatMap(({ refused }) => refused)).toEqual([]);
    expect(results.flatMap(({ again }) => again)).toEqual([]);
  });
}

async function runTrials(built: BuiltPackage, count: number, random: () => number): Promise<Results> {
  const made = createLifecycleMachine(built);
  const { machine, agent, journal, discard } = made;
  const lost: string[] = [];
  const refused: string[] = [];
  const mostStarts: number[] = [];
  let killed = 0;
  try {
    await agent.run("install", 0);
    // A busy machine starts supervisors late; the kills follow, or they hit nobody.
    let latestMs = Math.max(400, 3 * (await timeToStart(made)));
    for (let sequence = 1; sequence <= count; sequence++) {
      const flag = `go-${String(sequence)}`;
      const mayEnd = random() < 0.5;
      // Killed before its end, a command leaves the same behind whatever its exit code would have been; and an error may be another error.
      const passes = !mayEnd || random() < 0.5;
      agent.putSettings(sequence, settingsOf(machine.root, sequence, passes));
      const calls = await Promise.all([agent.run("enable", sequence), agent.run("enable", sequence)]);
      refused.push(
        ...calls.filter(({ exitCode }) => exitCode !== 0).map(({ output }) => `${String(sequence)}: ${output}`),
      );
      await pause(random() * latestMs);
      if (mayEnd) machine.write(`check/${flag}`, "");
      await pause(random() * 60);
      const holder = findSupervisor(agent, machine.root);
      if (holder?.sequence === sequence && isAlive(holder.pid)) killed++;
      else if (!mayEnd) latestMs = Math.min(latestMs * 1.2, longestMs);
      killSupervisor(agent, machine.root);
      mostStarts[sequence] = startsAfterKill(made, sequence);
      machine.write(`check/${flag}`, "");
      await agent.run("enable", sequence);
      const { kind, message } = await waitForStatus(agent, sequence);
      const isRight = passes ? kind === "success" : kind === "error" && message.includes("exited with code 3");
      if (!isRight) lost.push(`${String(sequence)}: ${kind}: ${message}`);
    }
    const overlaps = journal().filter((line) => line.startsWith("overlap"));
    return { lost, refused, killed, again: startedAgain(made, mostStarts), overlaps };
  } finally {
    await discard();
  }
}

function settingsOf(root: string, sequence: number, passes: boolean): HandlerSettings {
  const watchful = watchfulCommand(root, `go-${String(sequence)}`);
  const line = `echo ${String(sequence)} >> ${root}/${startsFile}; ${watchful}${passes ? "" : "; exit 3"}`;
  return { publicSettings: { commandToExecute: line, graceSeconds: "0", restart: "always" } };
}

/** How often the check may have been started in the end: once more than the killed supervisor has noted, unless it has noted an end. */
function startsAfterKill({ machine, agent }: LifecycleMachine, sequence: number): number {
  const state = readRunState(join(machine.root, "var/lib/capz-bootstrap", agent.name), sequence);
  if (state === undefined) throw new Error(`enable has left no state of ${String(sequence)}`);
  const starts = state.command?.starts ?? 0;
  return state.command?.exit === undefined && state.verdict === undefined ? starts + 1 : starts;
}

function startedAgain({ machine }: LifecycleMachine, mostStarts: readonly number[]): readonly string[] {
  const started = readFileSync(join(machine.root, startsFile), "utf8").trim().split("\n").map(Number);
  return mostStarts.flatMap((most, sequence) => {
    const starts = started.filter((one) => one === sequence).length;
    return starts >= 1 && starts <= most
      ? []
      : [`${String(sequence)}: ${String(starts)} starts instead of ${String(most)}`];
  });
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
