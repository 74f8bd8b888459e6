import { expect, test } from "@jest/globals";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import type { AgentPlayer, SeenStatus } from "../../scripts/dev/start/agent-player.ts";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { capzCommand } from "../../scripts/dev/start/capz-command.ts";
import { commandAtWork, createLifecycleMachine, waitForStatus, watchfulCommand } from "./lifecycle-machine.ts";

/** What the agent does between two versions, in its order (WALinuxAgent: exthandlers, handle_enable). */
interface Replacement {
  readonly version: string;
  readonly sequence: number;
  /** "killed": the old version's disable and uninstall do not get to do anything (exit 137, or the program is gone). */
  readonly oldCommands?: "run" | "killed";
}

async function replaceVersion(old: AgentPlayer, replacement: Replacement): Promise<AgentPlayer> {
  const { version, sequence, oldCommands = "run" } = replacement;
  const next = old.unpack(packageForHost().zip, version);
  // The new folder has the settings already; the old one has none of this number.
  copyFileSync(
    join(old.configFolder, `${String(sequence)}.settings`),
    join(next.configFolder, `${String(sequence)}.settings`),
  );
  rmSync(join(old.configFolder, `${String(sequence)}.settings`));
  if (oldCommands === "run") expect((await old.run("disable", sequence)).exitCode).toBe(0);
  copyFileSync(join(old.handlerFolder, "mrseq"), join(next.handlerFolder, "mrseq"));
  for (const file of readdirSync(old.statusFolder))
    copyFileSync(join(old.statusFolder, file), join(next.statusFolder, file));
  expect((await next.run("update", sequence, { VERSION: version })).exitCode).toBe(0);
  if (oldCommands === "run") expect((await old.run("uninstall", sequence)).exitCode).toBe(0);
  rmSync(old.handlerFolder, { recursive: true });
  expect((await next.run("install", sequence)).exitCode).toBe(0);
  expect((await next.run("enable", sequence)).exitCode).toBe(0);
  return next;
}

test.each([
  ["an upgrade", "1.0.1"],
  ["a downgrade", "0.9.0"],
])(
  "%s in mid-wait carries the wait over: same deadline, same check, one verdict",
  async (_, version) => {
    const made = createLifecycleMachine();
    const { machine, agent, journal, discard } = made;
    let next: AgentPlayer | undefined;
    try {
      const command = watchfulCommand(machine.root, "go");
      const settings = { commandToExecute: command, graceSeconds: "0", timeoutSeconds: "600", restart: "once" };
      agent.putSettings(3, { publicSettings: settings });
      await agent.run("install", 3);
      await agent.run("enable", 3);
      await commandAtWork(made, 3);
      const oldPid = findSupervisor(agent, machine.root)?.pid ?? 0;
      await pause(2500);
      const before = agent.status(3)?.message;
      next = await replaceVersion(agent, { version, sequence: 3 });
      expect(startTimeOf(oldPid)).toBeUndefined();
      const waiting = await waitForStatus(next, 3, ({ message }) => message !== before && message.includes("running"));
      expect(usedSeconds(waiting)).toBeGreaterThanOrEqual(2);
      machine.write("check/go", "");
      expect((await waitForStatus(next, 3)).kind).toBe("success");
      expect(journal().filter((line) => line.startsWith("overlap"))).toEqual([]);
    } finally {
      await next?.run("disable", 3);
      await discard();
    }
  },
  180_000,
);

test("an update whose old disable and uninstall are both killed: the new version gives the verdict", async () => {
  const made = createLifecycleMachine();
  const { machine, agent, journal, discard } = made;
  let next: AgentPlayer | undefined;
  try {
    const command = watchfulCommand(machine.root, "go");
    const settings = { commandToExecute: command, graceSeconds: "0", timeoutSeconds: "600", restart: "once" };
    agent.putSettings(3, { publicSettings: settings });
    await agent.run("install", 3);
    await agent.run("enable", 3);
    await commandAtWork(made, 3);
    const oldPid = findSupervisor(agent, machine.root)?.pid ?? 0;
    next = await replaceVersion(agent, { version: "1.0.1", sequence: 3, oldCommands: "killed" });
    expect(startTimeOf(oldPid)).toBeUndefined();
    machine.write("check/go", "");
    expect(await waitForStatus(next, 3)).toMatchObject({ kind: "success" });
    expect(journal().filter((line) => line.startsWith("overlap"))).toEqual([]);
  } finally {
    await next?.run("disable", 3);
    await discard();
  }
}, 180_000);

test("an update in mid-wait of CAPZ's own command: the new version goes on waiting, whatever restart says", async () => {
  const { machine, agent, discard } = createLifecycleMachine();
  let next: AgentPlayer | undefined;
  try {
    const settings = { commandToExecute: capzCommand(machine.root), aftercareSeconds: "0", lookBeside: "false" };
    agent.putSettings(3, { publicSettings: settings });
    await agent.run("install", 3);
    await agent.run("enable", 3);
    await waitForStatus(agent, 3, ({ message }) => message.includes("running the command"));
    next = await replaceVersion(agent, { version: "1.0.1", sequence: 3, oldCommands: "killed" });
    machine.write("run/cluster-api/bootstrap-success.complete", "success\n");
    expect(await waitForStatus(next, 3)).toMatchObject({ kind: "success" });
  } finally {
    await next?.run("disable", 3);
    await discard();
  }
}, 180_000);

test("a command that may not run twice is Interrupted by an update, and is not started again", async () => {
  const made = createLifecycleMachine();
  const { machine, agent, journal, discard } = made;
  let next: AgentPlayer | undefined;
  try {
    agent.putSettings(3, { publicSettings: { commandToExecute: watchfulCommand(machine.root, "go") } });
    await agent.run("install", 3);
    await agent.run("enable", 3);
    await commandAtWork(made, 3);
    next = await replaceVersion(agent, { version: "1.0.1", sequence: 3, oldCommands: "killed" });
    const status = await waitForStatus(next, 3);
    expect(status).toMatchObject({ kind: "error", message: expect.stringContaining("(Interrupted)") });
    expect(journal()).toEqual(["start"]);
  } finally {
    await next?.run("disable", 3);
    await discard();
  }
}, 180_000);

test("an update after the verdict keeps it: the check is not run again", async () => {
  const { machine, agent, journal, discard } = createLifecycleMachine();
  try {
    machine.write("check/go", "");
    agent.putSettings(0, { publicSettings: { commandToExecute: `${watchfulCommand(machine.root, "go")}; exit 7` } });
    await agent.run("install", 0);
    await agent.run("enable", 0);
    const verdict = await waitForStatus(agent, 0);
    const next = await replaceVersion(agent, { version: "1.0.1", sequence: 0 });
    await pause(500);
    expect(next.status(0)).toEqual(verdict);
    expect(journal()).toEqual(["start"]);
    expect(readFileSync(join(next.handlerFolder, "mrseq"), "utf8")).toBe("0");
  } finally {
    await discard();
  }
}, 180_000);

test("an uninstall later than an update removes private data: the mark of the update does not last", async () => {
  const { machine, agent, discard } = createLifecycleMachine();
  try {
    agent.putSettings(0, { publicSettings: { commandToExecute: "true" } });
    await agent.run("install", 0);
    await agent.run("enable", 0);
    await waitForStatus(agent, 0);
    const next = await replaceVersion(agent, { version: "1.0.1", sequence: 0 });
    await next.run("disable", 0);
    await next.run("uninstall", 0);
    expect(existsSync(join(machine.root, "var/lib/capz-bootstrap"))).toBe(false);
  } finally {
    await discard();
  }
}, 180_000);

function usedSeconds({ message }: SeenStatus): number | undefined {
  const text = /(?<used>\d+) s of \d+ s used/u.exec(message)?.groups?.["used"];
  return text === undefined ? undefined : Number(text);
}
