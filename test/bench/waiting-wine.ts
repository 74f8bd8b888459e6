import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buildPackage } from "../lanes/real-package.ts";
import { guardMs, open, unpackHandler } from "../lanes/windows-handler.ts";
import { userDataBegins, windowsNode } from "../lanes/windows-node.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type ProgramUse, type WineMachine } from "../support/wine-root.ts";
import type { Figure } from "./measure.ts";

/** The start, its first looks and the first compiler are over by then. */
const startMs = 10_000;

/** Node calls its first thread so, and Linux names a process after that. */
const node = "MainThread";

/** As image-builder and Cluster API leave a node whose user data runs: its service, and the folder that the sentinel will be put into. */
const asOnNode = "as on a node";
const bare = "neither cloudbase-init's service nor the sentinel's folder";

/** The same wait of the Windows package under Wine: user data runs, nothing happens. Needs root, for Wine's file system. */
export async function benchWaitingUnderWine(
  _built: unknown,
  { waitSeconds }: { readonly waitSeconds: number },
): Promise<readonly Figure[]> {
  if (process.getuid?.() !== 0) {
    process.stdout.write("skipped: Wine's own root file system needs root\n");
    return [];
  }
  const figures: Figure[] = [];
  for (const how of [asOnNode, bare]) figures.push(await measureWait(how, waitSeconds));
  return figures;
}

async function measureWait(how: string, waitSeconds: number): Promise<Figure> {
  const machine = await startWineMachine();
  const scratch = await mkdtemp(join(tmpdir(), "capz-bench-wine-"));
  try {
    await waitOn(machine, scratch, how);
    await pause(startMs);
    const before = await machine.programUse();
    await pause(waitSeconds * 1000);
    return figureOf(how, { before, after: await machine.programUse(), waitSeconds });
  } finally {
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function waitOn(machine: WineMachine, scratch: string, how: string): Promise<void> {
  const handler = await unpackHandler(machine, await buildPackage("Windows"));
  // Wine ends its service manager with the last program; this one stays.
  void machine.run(["ping", "-n", "100000", "127.0.0.1"]);
  const node = windowsNode(machine, scratch);
  if (how === asOnNode) {
    await node.service("cloudbase-init", "running");
    await node.write("run/cluster-api/placeholder", "");
  }
  await node.log(userDataBegins);
  await handler.putSettings(0, open({ aftercareSeconds: "0", timeoutSeconds: "3600" }));
  await handler.run("install", 0);
  await handler.run("enable", 0);
  await handler.waitFor("the first look", 0, ({ message }) => message.includes("user data"));
  await waitUntil("enable to be over", async () => !(await machine.processes()).some(isEnable), { timeoutMs: guardMs });
}

const isEnable = (line: string): boolean => /\benable\b/u.test(line);

function figureOf(
  how: string,
  seen: {
    readonly before: ReadonlyMap<string, ProgramUse>;
    readonly after: ReadonlyMap<string, ProgramUse>;
    readonly waitSeconds: number;
  },
): Figure {
  const { before, after, waitSeconds } = seen;
  const spent = [...after].map(([name, { seconds }]) => ({
    name,
    seconds: seconds - (before.get(name)?.seconds ?? 0),
  }));
  const ours = spent.find(({ name }) => name === node)?.seconds ?? Number.NaN;
  const others = spent.filter(({ name, seconds }) => name !== node && seconds > 0);
  const target = (0.5 * waitSeconds) / 300;
  return {
    name: `CPU of a wait of ${String(waitSeconds)} s under Wine, node.exe, ${how}`,
    value: `${ours.toFixed(2)} s`,
    beside: others.map(({ name, seconds }) => `${name} ${seconds.toFixed(2)} s`).join(", "),
    target: `<= ${target.toFixed(2)} s`,
    met: ours <= target,
  };
}
