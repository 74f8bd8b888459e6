import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { parseStatus } from "../../handler/contract/parse-status.ts";
import type { AgentPlayer, CommandResult, HandlerSettings } from "../../scripts/dev/start/agent-player.ts";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { findSupervisor, killSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { createLifecycleMachine, watchfulCommand, type LifecycleMachine } from "../lifecycle/lifecycle-machine.ts";

/** The scratch machine with the installed package, watched from outside while faults are done to it. */
export interface FaultMachine extends LifecycleMachine {
  /** Our private folder of this extension instance. */
  readonly instance: string;
  /** A folder of somebody else with a file in it. */
  readonly victim: string;
  putCommand(sequence: number, line: string, more?: Readonly<Record<string, unknown>>): void;
  /** A command that waits for a file; `release` makes it. */
  putWaiting(sequence: number, exitCode?: number): void;
  release(sequence: number): void;
  isRunning(sequence: number): boolean;
  enable(sequence: number, extra?: Readonly<Record<string, string>>): Promise<CommandResult>;
  supervisorPid(): number | undefined;
  /** Ends every process of ours as a power cut does. */
  killAll(): void;
  reboot(): void;
  /** What the status file held that the agent cannot use, as seen by a reader every few milliseconds. */
  watchStatus(sequence: number): StatusWatch;
  /** Another version of the package beside this one, not yet enabled. */
  unpackNewer(): AgentPlayer;
  /** The test itself has changed the node: what is there now is what must stay. */
  forgetChanges(): void;
  /** What has changed outside our folders since the machine was made (or rebooted). */
  changesOutside(): readonly string[];
}

interface StatusWatch {
  stop(): readonly string[];
}

export async function createFaultMachine(): Promise<FaultMachine> {
  const built = packageForHost();
  const made = createLifecycleMachine(built);
  const { machine, agent } = made;
  const ours = ourFolders(made);
  const victim = join(machine.root, "victim");
  mkdirSync(join(victim, "folder"), { recursive: true });
  for (const name of ["file", "folder/file"]) writeFileSync(join(victim, name), "belongs to somebody else\n");
  const installed = await agent.run("install", 0);
  if (installed.exitCode !== 0) throw new Error(`install failed: ${installed.output}`);
  let before = snapshot(machine.root, ours);
  const graceless = { graceSeconds: "0", aftercareSeconds: "0" };
  const put = (sequence: number, settings: HandlerSettings) => {
    agent.putSettings(sequence, settings);
  };
  return {
    ...made,
    instance: join(machine.root, "var/lib/capz-bootstrap", agent.name),
    victim,
    putCommand(sequence, line, more = {}) {
      put(sequence, { publicSettings: { commandToExecute: line, ...graceless, ...more } });
    },
    putWaiting(sequence, exitCode = 0) {
      const watchful = watchfulCommand(machine.root, `go-${String(sequence)}`);
      const line = `: > ${machine.root}/check/at-${String(sequence)}; ${watchful}; exit ${String(exitCode)}`;
      put(sequence, { publicSettings: { commandToExecute: line, restart: "always", ...graceless } });
    },
    release(sequence) {
      machine.write(`check/go-${String(sequence)}`, "");
    },
    isRunning: (sequence) => existsSync(join(machine.root, `check/at-${String(sequence)}`)),
    enable: (sequence, extra) => agent.run("enable", sequence, extra),
    supervisorPid: () => findSupervisor(agent, machine.root)?.pid,
    killAll() {
      killSupervisor(agent, machine.root);
      const path = join(machine.root, "check/pid");
      if (!existsSync(path)) return;
      kill(Number(readFileSync(path, "utf8")));
      // A dead process of which its new parent has not yet heard would look alive to the next check.
      rmSync(path);
    },
    reboot() {
      machine.reboot();
      before = snapshot(machine.root, ours);
    },
    watchStatus: (sequence) => watchStatus(join(agent.statusFolder, `${String(sequence)}.status`)),
    unpackNewer() {
      const newer = agent.unpack(built.zip, "1.0.1");
      ours.push(newer.handlerFolder);
      return newer;
    },
    forgetChanges() {
      before = snapshot(machine.root, ours);
    },
    changesOutside: () => differences(before, snapshot(machine.root, ours)),
  };
}

function kill(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function watchStatus(path: string): StatusWatch {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    if (!existsSync(path)) return;
    const view = parseStatus(readFileSync(path));
    if (view.kind === "malformed") seen.add(`${view.effect}: ${view.reason}`);
  }, 3);
  return {
    stop() {
      clearInterval(timer);
      return [...seen];
    },
  };
}

/** Where the handler may write, and what the test itself writes. */
function ourFolders({ machine, agent }: LifecycleMachine): string[] {
  return [
    join(machine.root, "var/lib/capz-bootstrap"),
    join(machine.root, "check"),
    agent.statusFolder,
    agent.configFolder,
    agent.logFolder,
    join(agent.handlerFolder, "mrseq"),
  ];
}

type Snapshot = ReadonlyMap<string, string>;

function snapshot(root: string, without: readonly string[]): Snapshot {
  const found = new Map<string, string>();
  const visit = (path: string) => {
    if (without.includes(path)) return;
    const info = lstatSync(path);
    found.set(relative(root, path), describe(path));
    if (info.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(root);
  return found;
}

/** The times of folders change with their entries, of which ours are left out; the entries themselves are compared. */
function describe(path: string): string {
  const info = lstatSync(path, { bigint: true });
  const common = `mode ${info.mode.toString(8)}, owner ${String(info.uid)}`;
  if (info.isSymbolicLink()) return `${common}, link to ${readlinkSync(path)}`;
  if (info.isDirectory()) return common;
  return `${common}, ${String(info.size)} bytes, changed ${String(info.mtimeNs)}`;
}

function differences(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "absent"} -> ${after.get(path) ?? "absent"}`);
}
