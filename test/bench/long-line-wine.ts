import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "../lanes/real-package.ts";
import { unpackHandler, type WindowsHandler } from "../lanes/windows-handler.ts";
import {
  instance,
  pluginsDone,
  userDataBegins,
  userDataEnds,
  userDataPrints,
  windowsNode,
  type WindowsNode,
} from "../lanes/windows-node.ts";
import { startWineMachine, type ProgramUse, type WineMachine } from "../support/wine-root.ts";
import { inMs, median, type Figure } from "./measure.ts";

const rounds = 7;
/** Beyond a bare start: how long Wine takes to start `cmd` and Node is not ours, and is most of a second here. */
const targetMs = 1000;

const step = '+ a step of the user\'s script that goes well, with "quotes" and a C:\\path\r\n';
const failure =
  "[preflight] Running pre-flight checks\r\nerror execution phase preflight: [preflight] Some fatal errors occurred:\r\n\t[ERROR Port-10250]: Port 10250 is in use\r\n";
const plugins = `HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\${instance}\\Plugins`;

/** By its arguments; none: the packaged Node that does nothing. */
const commands = {
  check: ["check"],
  "check --json": ["check", "--json"],
  "diagnose --no-probes": ["diagnose", "--no-probes"],
} as const;

/** `--json` adds a record that tells of which machine and boot it is: four programs more. */
const targeted = new Set(["check", "diagnose --no-probes"]);

/** A node under Wine whose user data printed 5 MB before it failed, on one line as cloudbase-init writes it: judged and diagnosed. Needs root. */
export async function benchLongLineUnderWine(): Promise<readonly Figure[]> {
  if (process.getuid?.() !== 0) {
    process.stdout.write("skipped: Wine's own root file system needs root\n");
    return [];
  }
  const machine = await startWineMachine();
  const scratch = await mkdtemp(join(tmpdir(), "capz-bench-wine-"));
  try {
    const handler = await unpackHandler(machine, await buildPackage("Windows"));
    // Wine ends its service manager with the last program; this one stays.
    void machine.run(["ping", "-n", "100000", "127.0.0.1"]);
    await failedNode(windowsNode(machine, scratch));
    return await measureAll(machine, handler);
  } finally {
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function failedNode(node: WindowsNode): Promise<void> {
  await node.service("cloudbase-init", "stopped");
  await node.write("run/kubeadm/kubeadm-join-config.yaml", "kind: JoinConfiguration\r\n");
  const printed = step.repeat(Math.ceil(5_000_000 / step.length)) + failure;
  await node.log(userDataBegins, userDataPrints(printed), userDataEnds(1), pluginsDone);
  await node.setValue(plugins, "UserDataPlugin", 1);
}

interface Sample {
  readonly ms: number;
  readonly seconds: number;
  /** Programs that were started, by their names. */
  readonly starts: ReadonlyMap<string, number>;
}

/** One after the other in each round, so that whatever else runs meets them all. */
async function measureAll(machine: WineMachine, handler: WindowsHandler): Promise<readonly Figure[]> {
  const bare: Sample[] = [];
  const samples = new Map<string, Sample[]>(Object.keys(commands).map((name) => [name, []]));
  const launcher = `${handler.windowsFolder}\\bin\\capz-bootstrap.cmd`;
  const node = `${handler.windowsFolder}\\runtime\\windows-x64\\node.exe`;
  for (let round = -1; round < rounds; round++) {
    const idle = await measure(machine, ["cmd", "/c", node, "-e", "0"]);
    // The first one brings everything into memory.
    if (round >= 0) bare.push(idle);
    for (const [name, args] of Object.entries(commands)) {
      const sample = await measure(machine, ["cmd", "/c", launcher, ...args]);
      if (round >= 0) samples.get(name)?.push(sample);
    }
  }
  return [...samples].map(([name, of]) => figureOf(name, of, bare));
}

async function measure(machine: WineMachine, command: readonly string[]): Promise<Sample> {
  const before = await machine.programUse();
  const started = performance.now();
  await machine.run(command);
  const ms = performance.now() - started;
  const after = await machine.programUse();
  const spent = [...after].map(([name, use]) => [name, difference(use, before.get(name))] as const);
  return {
    ms,
    seconds: spent.reduce((sum, [, { seconds }]) => sum + seconds, 0),
    starts: new Map(spent.flatMap(([name, { started: count }]) => (count > 0 ? [[name, count]] : []))),
  };
}

function difference(after: ProgramUse, before: ProgramUse = { started: 0, seconds: 0 }): ProgramUse {
  return { started: after.started - before.started, seconds: after.seconds - before.seconds };
}

function figureOf(name: string, samples: readonly Sample[], bare: readonly Sample[]): Figure {
  const ms = median(samples.map((sample) => sample.ms));
  const bareMs = median(bare.map((sample) => sample.ms));
  const seconds = median(samples.map((sample) => sample.seconds));
  const isTargeted = targeted.has(name);
  const starts = [...(samples[0]?.starts ?? [])].map(([program, count]) => `${program} ${String(count)}`).join(", ");
  return {
    name: `${name} of 5 MB on one line under Wine, launcher to exit (median of ${String(samples.length)})`,
    value: `${inMs(ms)}, of which ${inMs(ms - bareMs)} beyond the bare start; processor time ${seconds.toFixed(2)} s (starts: ${starts})`,
    beside: `bare start of the packaged Node ${inMs(bareMs)}`,
    ratio: ms / bareMs,
    target: isTargeted ? `<= ${String(targetMs)} ms beyond the bare start` : "none",
    met: !isTargeted || ms - bareMs <= targetMs,
  };
}
