import { expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { kubeadmJoins } from "../../scripts/dev/start/node-events.ts";
import { addressOf } from "../support/http-server.ts";
import type { FaultMachine } from "./fault-machine.ts";
import { survives } from "./trials.ts";

test("the wall clock jumps by years at every reading: deadline and verdict do not care", async () => {
  await survives("clockJump", async ({ machine, index }) => {
    machine.putCommand(index, `sleep 1; exit ${String(index % 2)}`, { timeoutSeconds: "30" });
    expect(await superviseWithJumpingClock(machine, index)).toBe(0);
    const message = machine.agent.status(index)?.message ?? "";
    const seconds = Number(/ (?:in|after) (?<seconds>\d+) s/u.exec(message)?.groups?.["seconds"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThan(20);
    return { kind: index % 2 === 0 ? "success" : "error" };
  });
}, 60_000);

function superviseWithJumpingClock({ machine, agent }: FaultMachine, sequence: number): Promise<number | null> {
  const program = join(import.meta.dirname, "jumping-clock-main.ts");
  const child = spawn(process.execPath, ["--no-warnings", program, agent.handlerFolder], {
    env: {
      PATH: process.env["PATH"],
      CAPZ_BOOTSTRAP_ROOT: machine.root,
      AZURE_GUEST_AGENT_EXTENSION_PATH: agent.handlerFolder,
      ConfigSequenceNumber: String(sequence),
    },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  return new Promise((resolve) => {
    child.once("exit", resolve);
  });
}

test("protected settings on a machine without openssl: an error that names the program", async () => {
  await survives("noOpenssl", async ({ machine, index }) => {
    machine.agent.putSettings(index, { protectedSettings: { commandToExecute: "true" } });
    const path = join(machine.machine.root, "check/bin");
    mkdirSync(path, { recursive: true });
    for (const name of readdirSync("/usr/bin")) {
      if (name !== "openssl") symlinkSync(join("/usr/bin", name), join(path, name));
    }
    await machine.enable(index, { PATH: path });
    return { kind: "error", message: /openssl/u };
  });
}, 60_000);

test("no network: the packaged check is used with a warning, or, where it must not, the error names the address", async () => {
  await survives("noNetwork", async ({ machine, index }) => {
    const uri = `http://127.0.0.1:${String(await closedPort())}/check`;
    const bundle = { checkVersion: "9.9.9", checkSha256: "ab".repeat(32), checkBaseUris: uri };
    const common = { timeoutSeconds: "30", aftercareSeconds: "0", graceSeconds: "0" };
    const settings = [
      { ...bundle, ...common },
      { ...bundle, ...common, checkRequired: "true" },
    ][index];
    machine.agent.putSettings(index, settings === undefined ? {} : { publicSettings: settings });
    kubeadmJoins(machine.machine);
    machine.forgetChanges();
    await machine.enable(index);
    if (index === 0) return { kind: "success", message: /Warning: .*9\.9\.9 cannot be had/u };
    return { kind: "error", message: /127\.0\.0\.1/u };
  });
}, 120_000);

/** A port that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}
