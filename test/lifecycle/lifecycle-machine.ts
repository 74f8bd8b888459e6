import { beforeAll } from "@jest/globals";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createAgentPlayer, type AgentPlayer, type SeenStatus } from "../../scripts/dev/start/agent-player.ts";
import { packageForHost, type BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { createScratchMachine, type ScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { waitUntil } from "../support/wait-until.ts";

// Whoever is first builds the package, and on a fresh machine fetches its runtime before: in time of its own, not in the first test's.
beforeAll(() => {
  packageForHost();
}, 900_000);

export interface LifecycleMachine {
  readonly machine: ScratchMachine;
  readonly agent: AgentPlayer;
  /** Lines that the check command wrote: one per start, and "overlap" where the one before still ran. */
  journal(): readonly string[];
  discard(): Promise<void>;
}

/** The real package in a scratch machine, called as the agent calls it. */
export function createLifecycleMachine(built: BuiltPackage = packageForHost()): LifecycleMachine {
  const machine = createScratchMachine();
  const agent = createAgentPlayer({ root: machine.root, ...built });
  mkdirSync(join(machine.root, "check"), { recursive: true });
  return {
    machine,
    agent,
    journal() {
      const path = join(machine.root, "check/journal");
      return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
    },
    async discard() {
      // After an update the folder of this version is gone, and the test has ended the new one. It stops what is at work, as `disable` does.
      if (existsSync(agent.handlerFolder)) await agent.run("uninstall", 0);
      machine.discard();
    },
  };
}

/**
 * A check that notes each start, says when another instance of it still runs, and waits for a file. Waiting is done by the
 * shell itself, so that the process that counts is the one whose pid is noted; last of all, so that who finds it finds the rest.
 */
export function watchfulCommand(root: string, flag: string): string {
  const folder = `${root}/check`;
  return [
    `old=$(cat ${folder}/pid 2>/dev/null)`,
    `[ -z "$old" ] || ! kill -0 "$old" 2>/dev/null || echo "overlap $old $$" >> ${folder}/journal`,
    `echo start >> ${folder}/journal`,
    `echo $$ > ${folder}/pid`,
    `while [ ! -e ${folder}/${flag} ]; do sleep 0.05; done`,
    `rm -f ${folder}/pid`,
  ].join("; ");
}

/** The status once it satisfies the condition. A test that reached its time limit has discarded its machine, which ends the wait. */
export async function waitForStatus(
  agent: AgentPlayer,
  sequence: number,
  done: (status: SeenStatus) => boolean = isTerminal,
): Promise<SeenStatus> {
  for (;;) {
    const status = agent.status(sequence);
    if (status !== undefined && done(status)) return status;
    if (!existsSync(agent.handlerFolder)) throw new Error(`There is no ${agent.handlerFolder} any more to wait for`);
    await pause(10);
  }
}

/** Waits until a `watchfulCommand` runs: the status says that it is started a moment before its shell does anything. */
export async function commandAtWork({ machine, agent }: LifecycleMachine, sequence: number): Promise<number> {
  await waitForStatus(agent, sequence, ({ message }) => message.includes("running the command"));
  const file = join(machine.root, "check/pid");
  return waitUntil(
    "the command to note its process",
    () => existsSync(file) && Number(readFileSync(file, "utf8")) > 0 && Number(readFileSync(file, "utf8")),
  );
}

/** The process that holds the lock; a test that has none has gone wrong, and must signal nobody. */
export function supervisorPid({ machine, agent }: LifecycleMachine): number {
  const pid = findSupervisor(agent, machine.root)?.pid;
  if (pid === undefined || pid <= 0) throw new Error(`No supervisor holds the lock of ${agent.name}`);
  return pid;
}

export function isTerminal({ kind }: SeenStatus): boolean {
  return kind === "success" || kind === "error";
}
