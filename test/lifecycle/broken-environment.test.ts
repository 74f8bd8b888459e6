import { expect, test } from "@jest/globals";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import type { AgentPlayer } from "../../scripts/dev/start/agent-player.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { commandAtWork, createLifecycleMachine, waitForStatus, watchfulCommand } from "./lifecycle-machine.ts";

const environmentFile = ({ handlerFolder }: AgentPlayer) => join(handlerFolder, "HandlerEnvironment.json");

test.each([
  [
    "disable",
    "is empty",
    (path: string) => {
      writeFileSync(path, "");
    },
  ],
  [
    "update",
    "is in none of the folders",
    (path: string) => {
      rmSync(path);
    },
  ],
  [
    "uninstall",
    "cannot be used",
    (path: string) => {
      writeFileSync(path, "{ cut in the mid");
    },
  ],
] as const)(
  "%s ends the supervisor though HandlerEnvironment.json %s, and says so",
  async (command, _, breakFile) => {
    const made = createLifecycleMachine();
    const { machine, agent, discard } = made;
    const path = environmentFile(agent);
    const whole = readFileSync(path);
    try {
      agent.putSettings(3, { publicSettings: { commandToExecute: watchfulCommand(machine.root, "go") } });
      await agent.run("install", 3);
      await agent.run("enable", 3);
      const checkPid = await commandAtWork(made, 3);
      const { pid } = findSupervisor(agent, machine.root) ?? { pid: 0 };
      expect(startTimeOf(pid)).toBeDefined();
      expect(startTimeOf(checkPid)).toBeDefined();
      breakFile(path);
      const { exitCode, output } = await agent.run(command, 3);
      expect(output).toContain("HandlerEnvironment.json");
      expect(output).toContain("Going by the handler's folder instead: the supervisor of");
      expect(exitCode).toBe(0);
      expect(startTimeOf(pid)).toBeUndefined();
      expect(startTimeOf(checkPid)).toBeUndefined();
      expect(readFileSync(join(agent.logFolder, "handler.log"), "utf8")).toContain("Going by the handler's folder");
      expect(existsSync(join(machine.root, "var/lib/capz-bootstrap"))).toBe(command !== "uninstall");
    } finally {
      writeFileSync(path, whole);
      await discard();
    }
  },
  120_000,
);

test("a folder in the place of N.status is set aside, and the verdict comes", async () => {
  const { agent, discard } = createLifecycleMachine();
  try {
    mkdirSync(join(agent.statusFolder, "0.status/somebody"), { recursive: true });
    agent.putSettings(0, { publicSettings: { commandToExecute: "exit 3" } });
    await agent.run("install", 0);
    expect(await agent.run("enable", 0)).toEqual({ exitCode: 0, output: "" });
    expect(await waitForStatus(agent, 0)).toMatchObject({ kind: "error", code: 2 });
    const aside = readdirSync(agent.statusFolder).find((name) => name.startsWith("0.status.aside-")) ?? "none";
    expect(readdirSync(join(agent.statusFolder, aside))).toEqual(["somebody"]);
  } finally {
    await discard();
  }
}, 120_000);
