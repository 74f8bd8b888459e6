import type { CommandOutcome, UserDataKind } from "./history.ts";
import { runNode } from "./distributions.ts";
import { sealIgnition } from "./ignition.ts";
import { forEver, joinByHand, kubeadm, type Say, type Step } from "./kubeadm.ts";
import type { Activity } from "./activity.ts";
import type { Machine } from "./machine.ts";
import { sentinelPath, userFiles } from "./user-data.ts";

/** Where and for whom a script of user data runs. */
export interface ScriptRun {
  readonly self: Activity;
  readonly unit: string;
  readonly say: Say;
}

/** write_files: before the commands, and only what the provider's data names. */
export function writeUserFiles(machine: Machine): void {
  const { userData } = machine.life;
  if (userData !== "provider" && userData !== "provider-multipart") return;
  for (const file of userFiles(machine)) machine.write(file.path, file.text);
}

/** Runs the script of the user data; its exit code is that of its last command, whatever the others did. */
export function* runUserScript(machine: Machine, run: ScriptRun): Step {
  machine.startProcess("sh", run.unit);
  const code = yield* commands(machine, run);
  machine.endProcess("sh");
  return code;
}

function* commands(machine: Machine, run: ScriptRun): Step {
  const { userData } = machine.life;
  if (userData === "provider" || userData === "provider-multipart") return yield* providerScript(machine, run);
  const script = ownScripts[userData];
  return script === undefined ? 0 : yield* script(machine, run);
}

/** What scripts of the user's own do; user data of another kind has no command. */
const ownScripts: Readonly<Partial<Record<UserDataKind, (machine: Machine, run: ScriptRun) => Step>>> = {
  *"own-unrelated"(machine) {
    yield machine.about(20_000);
    return 0;
  },
  *"own-fails"(machine, run) {
    yield machine.about(20_000);
    run.say("/opt/set-up.sh: line 7: cannot mount the share");
    return 1;
  },
  *"own-writes-sentinel"(machine, run) {
    yield* ownJoin(machine, run);
    writeSentinel(machine, "success\n");
    return 0;
  },
  "own-joins-without-sentinel": ownJoin,
  "own-joins-in-background": leaveJoinBehind,
  "own-joins-by-service": leaveJoinBehind,
};

/** A script written by hand: it joins when the attempt is a good one. */
function* ownJoin(machine: Machine, run: ScriptRun): Step {
  const { join } = machine.attempt;
  yield machine.about(10_000);
  if (join === "hangs") yield forEver;
  if (join !== "ok" && join !== "slow" && join !== "second-try") {
    run.say("join.sh: the cluster refused this node");
    return 1;
  }
  return yield* joinByHand(machine, { byBootstrap: true });
}

/** The script ends at once. */
function* leaveJoinBehind(machine: Machine, run: ScriptRun): Step {
  yield 0;
  if (machine.life.userData === "own-joins-by-service" && machine.system === "linux") joinByService(machine);
  else joinInBackground(machine, run);
  return 0;
}

function joinInBackground(machine: Machine, run: ScriptRun): void {
  machine.start("join in the background", true, function* (self) {
    machine.startProcess("join.sh", run.unit);
    yield machine.about(60_000);
    yield* ownJoin(machine, { ...run, self });
    machine.endProcess("join.sh");
  });
}

/** A unit that the script wrote: what it prepares before kubeadm shows nowhere, and what kubeadm says stands in the journal. */
function joinByService(machine: Machine): void {
  machine.start("join in the background", true, function* (self) {
    yield machine.about(60_000);
    yield* ownJoin(machine, { unit: "join.service", self, say: () => undefined });
  });
}

function* providerScript(machine: Machine, run: ScriptRun): Step {
  const { before, after, restarts, exitCode } = machine.attempt;
  yield* command(machine, before, { run, name: "curl", says: "/opt/prepare.sh: line 3: no such registry" });
  if (restarts === "before-join" && machine.attemptNumber === 0) {
    machine.restartAtMs = machine.trueMs + machine.about(3_000);
    machine.tell("the script restarts the machine before it joins");
    // Windows ends the processes one by one: cloudbase-init may see its script end, or be ended first.
    if (machine.system === "windows" && machine.random() < 0.5) return 1_073_807_364;
    yield forEver;
  }
  let code = yield* node(machine, run);
  // The script of Ignition's kubeadm.service runs under `set -e`.
  if (code !== 0 && machine.life.provider === "kubeadm-ignition") return code;
  if (after !== "none")
    code = yield* command(machine, after, { run, name: "label-node.sh", says: "/opt/label-node.sh: cannot label" });
  if (restarts === "at-end") {
    scheduleRestart(machine);
    machine.tell("the script has scheduled a restart in a minute");
    code = 0;
  }
  // A wish to run again ends after the second run, or the machine would restart for ever.
  return machine.attemptNumber === 0 ? (exitCode ?? code) : code;
}

/** `shutdown -r +1`, which systemd writes down until it comes. */
export function scheduleRestart(machine: Machine): void {
  const afterMs = 60_000;
  machine.restartAtMs = machine.trueMs + afterMs;
  if (machine.system === "windows") return;
  const at = (machine.wallMs + afterMs) * 1_000;
  machine.write("/run/systemd/shutdown/scheduled", `USEC=${String(at)}\nWARN_WALL=1\nMODE=reboot\n`);
}

/** The part that makes the node, and the sentinel by each provider's own rule. */
function* node(machine: Machine, run: ScriptRun): Step {
  const { provider } = machine.life;
  const { join } = machine.attempt;
  if (provider !== "kubeadm" && provider !== "kubeadm-ignition") return yield* runNode(machine, run);
  let code = yield* kubeadm(machine, {
    unit: run.unit,
    say: run.say,
    outcome: join === "second-try" ? "refused" : join,
  });
  if (join === "second-try") {
    yield machine.about(10_000);
    code = yield* kubeadm(machine, { unit: run.unit, say: run.say, outcome: "ok" });
  }
  if (code === 0 && provider === "kubeadm-ignition") sealIgnition(machine);
  else if (code === 0) writeSentinel(machine, machine.system === "windows" ? "success \r\n" : "success\n");
  return code;
}

interface CommandParts {
  readonly run: ScriptRun;
  readonly name: string;
  readonly says: string;
}

function* command(machine: Machine, outcome: CommandOutcome, { run, name, says }: CommandParts): Step {
  if (outcome === "none") return 0;
  machine.startProcess(name, run.unit);
  yield machine.about(15_000);
  if (outcome === "hangs") yield forEver;
  machine.endProcess(name);
  if (outcome === "ok") return 0;
  run.say(says);
  return 1;
}

export function writeSentinel(machine: Machine, text: string): void {
  machine.write(sentinelPath(machine), text);
  machine.sentinelBootId = machine.bootId;
  machine.tell("the sentinel is written");
}
