import { expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { parseStatus } from "../../handler/contract/parse-status.ts";
import { cloudInitRuns, kubeadmRuns } from "../../scripts/dev/start/node-events.ts";
import { createAgentPlayer } from "../../scripts/dev/start/agent-player.ts";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { createScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { createLifecycleMachine, waitForStatus } from "../lifecycle/lifecycle-machine.ts";
import { embedBundle, makeBundle } from "../support/bundle-maker.ts";
import { measureGrowth } from "../load/growth-of.ts";

/** The longest deadline that is allowed: 85 of Azure's 90 minutes. */
const waitSeconds = 5100;
const clockFactor = 400;

/** A node that changes its stage at every look and always has a long last word. */
const flappingCheck = `n=$(cat "$CAPZ_STATE_DIR/n" 2>/dev/null || echo 0)
n=$((n + 1))
echo "$n" > "$CAPZ_STATE_DIR/n"
{
  echo "stage=stage-$n"
  printf 'message=step %s of many: ' "$n"
  head -c 900 /dev/zero | tr '\\0' m
} >> "$CAPZ_CHECK_OUTPUT"
head -c 20000 /dev/zero | tr '\\0' o
exit 75
`;

test("a wait of 85 minutes on a node that never stops changing: status, its writes, state, work folder and log stay bounded", async () => {
  const machine = createScratchMachine();
  const agent = createAgentPlayer({ root: machine.root, ...packageForHost() });
  try {
    await embedBundle(agent.handlerFolder, makeBundle({ check: flappingCheck }));
    const settings = { timeoutSeconds: String(waitSeconds), pollSeconds: "5", aftercareSeconds: "0" };
    agent.putSettings(0, { publicSettings: settings });
    const seen = watchWrites(join(agent.statusFolder), "0.status");
    expect(await wait(machine.root, agent.handlerFolder)).toBe(0);
    const { writes, largest, malformed } = seen.stop();
    expect(agent.status(0)).toMatchObject({ kind: "error", code: 11 });
    expect(malformed).toEqual([]);
    expect(largest).toBeLessThanOrEqual(16 * 1024);
    // One for each look (every 5 s) and one every 30 s; and the wait must have been one.
    expect(writes).toBeLessThanOrEqual(waitSeconds / 5 + waitSeconds / 30 + 5);
    expect(writes).toBeGreaterThan(50);
    expect(sizeOf(join(machine.root, "var/lib/capz-bootstrap"))).toBeLessThan(256 * 1024);
    expect(statSync(join(agent.logFolder, "handler.log")).size).toBeLessThan(16 * 1024);
  } finally {
    machine.discard();
  }
}, 180_000);

function wait(root: string, handlerFolder: string): Promise<number | null> {
  const main = join(import.meta.dirname, "../load/long-wait-main.ts");
  const child = spawn(process.execPath, ["--no-warnings", main, handlerFolder, String(clockFactor)], {
    env: {
      PATH: process.env["PATH"],
      CAPZ_BOOTSTRAP_ROOT: root,
      AZURE_GUEST_AGENT_EXTENSION_PATH: handlerFolder,
      ConfigSequenceNumber: "0",
    },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  return new Promise((resolve) => {
    child.once("exit", resolve);
  });
}

/** Every replacement of the file is an event of its folder (inotify keeps them all). */
function watchWrites(folder: string, name: string) {
  let writes = 0;
  let largest = 0;
  const malformed: string[] = [];
  const watcher = watch(folder, (_, file) => {
    if (file !== name) return;
    writes++;
    const bytes = readFileSync(join(folder, name));
    largest = Math.max(largest, bytes.length);
    const view = parseStatus(bytes);
    if (view.kind === "malformed") malformed.push(view.reason);
  });
  return {
    stop() {
      watcher.close();
      return { writes, largest, malformed };
    },
  };
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test("a real supervisor that is woken for a minute: no more descriptors, memory or log than before", async () => {
  const { machine, agent, discard } = createLifecycleMachine();
  try {
    agent.putSettings(0, { publicSettings: { aftercareSeconds: "0", pollSeconds: "1" } });
    await agent.run("install", 0);
    cloudInitRuns(machine);
    await agent.run("enable", 0);
    await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
    const { first, last } = await measureGrowth({
      pid: findSupervisor(agent, machine.root)?.pid ?? 0,
      logFolder: agent.logFolder,
      seconds: 60,
      stir: (count) => {
        (count % 2 === 0 ? kubeadmRuns : cloudInitRuns)(machine);
      },
    });
    expect(last.descriptors).toBeLessThanOrEqual(first.descriptors);
    expect(last.residentMiB).toBeLessThan(first.residentMiB + 6);
    expect(last.logBytes).toBeLessThanOrEqual(first.logBytes + 4096);
  } finally {
    await discard();
  }
}, 180_000);
