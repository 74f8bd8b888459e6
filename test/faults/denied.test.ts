import { expect, test } from "@jest/globals";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, lchownSync, lstatSync, readdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CommandResult } from "../../scripts/dev/start/agent-player.ts";
import type { FaultMachine } from "./fault-machine.ts";
import { survives, verdictOf, type Expected } from "./trials.ts";

const testAsRoot = process.getuid?.() === 0 ? test : test.skip;
const nobody = 65_534;

/** As a mandatory access control may do it: the handler, which is never anybody but root, is kept from one of its folders. */
testAsRoot(
  "access to a folder is denied: the verdict comes or what is wrong is said at once, with the path",
  async () => {
    await survives("denied", async ({ machine, index }) => {
      const { agent } = machine;
      const folder = [
        agent.logFolder,
        join(agent.logFolder, "events"),
        agent.statusFolder,
        agent.configFolder,
        machine.instance,
      ][index];
      if (folder === undefined) throw new Error(`There is no trial ${String(index)}`);
      machine.putCommand(index, "true");
      giveAway(machine.machine.root, nobody);
      deny(folder);
      try {
        const result = await enableAsNobody(machine, index);
        const expected = await whileDenied(machine, index, { folder, result });
        if (expected !== undefined) return expected;
      } finally {
        giveAway(machine.machine.root, 0);
        chmodSync(folder, 0o700);
      }
      await machine.enable(index);
      return { kind: "success" };
    });
  },
  120_000,
);

interface Denied {
  readonly folder: string;
  readonly result: CommandResult;
}

/** The expected verdict, or undefined when it can come only after the folder is given back. */
async function whileDenied(
  machine: FaultMachine,
  sequence: number,
  { folder, result }: Denied,
): Promise<Expected | undefined> {
  const { agent, instance } = machine;
  if (folder === agent.statusFolder) {
    expect(result).toMatchObject({ exitCode: 53, output: expect.stringContaining(folder) });
    return undefined;
  }
  expect(result.exitCode).toBe(0);
  const { message } = await verdictOf(machine, sequence);
  if (folder !== agent.configFolder && folder !== instance) return { kind: "success" };
  expect(message).toContain("EACCES");
  return { kind: "error" };
}

/** Owner and contents of everything in the scratch machine. */
function giveAway(path: string, owner: number): void {
  takeOut(path);
  lchownSync(path, owner, owner);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) for (const name of readdirSync(path)) giveAway(join(path, name), owner);
}

/** A program that other machines of this run have as well (agent-player.ts) becomes one of its own: they keep its owner. */
function takeOut(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.nlink === 1) return;
  // With its times to the nanosecond, which the look for changes compares.
  execFileSync("cp", ["-p", path, `${path}.own`]);
  renameSync(`${path}.own`, path);
}

function deny(folder: string): void {
  chownSync(folder, 0, 0);
  chmodSync(folder, 0o700);
}

function enableAsNobody(machine: FaultMachine, sequence: number): Promise<CommandResult> {
  const launcher = join(machine.agent.handlerFolder, "bin/capz-bootstrap");
  const id = String(nobody);
  const child = spawn("setpriv", ["--reuid", id, "--regid", id, "--clear-groups", launcher, "enable"], {
    cwd: dirname(launcher),
    env: {
      PATH: process.env["PATH"],
      CAPZ_BOOTSTRAP_ROOT: machine.machine.root,
      ConfigSequenceNumber: String(sequence),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      resolve({ exitCode: code ?? undefined, output });
    });
  });
}
