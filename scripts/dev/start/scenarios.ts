import { setTimeout as pause } from "node:timers/promises";
import type { AgentPlayer, HandlerSettings } from "./agent-player.ts";
import { capzCommand } from "./capz-command.ts";
import { cloudInitFails, cloudInitRuns, kubeadmHangs, kubeadmJoins } from "./node-events.ts";
import type { ScratchMachine } from "./scratch-machine.ts";
import { statusThat, type Say } from "./show-status.ts";
import { killSupervisor } from "./supervisor-process.ts";

interface Stage {
  readonly machine: ScratchMachine;
  readonly agent: AgentPlayer;
  readonly say: Say;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Number of the settings whose status is the answer. */
  readonly sequence: number;
  /** How its first line begins. */
  readonly expected: string;
  play(stage: Stage): Promise<void>;
}

const bootstrapped = "Bootstrapped in ";
const quick = { pollSeconds: "1", aftercareSeconds: "0" };

export const scenarios: readonly Scenario[] = [
  scenario("bootstrapped", "CAPZ's own command, encrypted; the node joins", bootstrapped, async (stage) => {
    const protectedSettings = { commandToExecute: capzCommand(stage.machine.root) };
    await begin(stage, 0, { protectedSettings });
    await join(stage, 2000);
  }),
  scenario("probe", "the check that comes with the package; the node joins", bootstrapped, async (stage) => {
    await begin(stage, 0, { publicSettings: quick });
    await join(stage, 2000);
  }),
  scenario(
    "late",
    "the sentinel comes after the deadline: the failure turns into a success",
    bootstrapped,
    async (stage) => {
      await begin(stage, 0, { publicSettings: { pollSeconds: "1", timeoutSeconds: "30", aftercareSeconds: "60" } });
      cloudInitRuns(stage.machine);
      kubeadmHangs(stage.machine);
      await untilError(stage);
      await join(stage, 3000);
      await statusThat(stage.agent, 0, ({ kind }) => kind === "success");
    },
  ),
  scenario(
    "cloud-init-failed",
    "cloud-init ends with an error; the cause is named",
    "Bootstrap failed (DnsResolutionFailed) in kubeadm join after ",
    async (stage) => {
      await begin(stage, 0, { publicSettings: quick });
      await pause(1500);
      stage.say("  (kubeadm join cannot resolve the control plane's name; cloud-init ends with an error)");
      cloudInitFails(stage.machine);
    },
  ),
  scenario(
    "hung",
    "kubeadm hangs until the deadline",
    "Bootstrap failed (DeadlineExceeded) in kubeadm join after 30 s: still running: kubeadm (",
    async (stage) => {
      await begin(stage, 0, { publicSettings: { ...quick, timeoutSeconds: "30" } });
      cloudInitRuns(stage.machine);
      kubeadmHangs(stage.machine);
      await untilError(stage);
    },
  ),
  scenario("crash", "the handler is killed in mid-run; nothing is lost", bootstrapped, async (stage) => {
    await begin(stage, 0, { publicSettings: quick });
    await pause(1500);
    stage.say(`  (kill -9 of the supervisor, pid ${String(killSupervisor(stage.agent, stage.machine.root))})`);
    await callEnable(stage, 0);
    await join(stage, 2000);
  }),
  scenario("reboot", "the machine reboots in mid-run; the deadline goes on", bootstrapped, async (stage) => {
    await begin(stage, 0, { publicSettings: quick });
    await pause(1500);
    stage.say("  (power off; /run is empty, the boot id is new)");
    killSupervisor(stage.agent, stage.machine.root);
    stage.machine.reboot();
    await callEnable(stage, 0);
    await join(stage, 2000);
  }),
  scenario(
    "cloned",
    "an image of a bootstrapped node: its old verdict does not count here",
    bootstrapped,
    async (stage) => {
      await begin(stage, 0, { publicSettings: quick });
      await join(stage, 500);
      await statusThat(stage.agent, 0, ({ kind }) => kind === "success");
      stage.say("  (the disk is captured; this is another VM with the same files)");
      stage.machine.becomeClone();
      stage.machine.remove("etc/kubernetes/kubelet.conf");
      stage.machine.remove("var/lib/kubelet");
      await callEnable(stage, 0);
      await statusThat(stage.agent, 0, ({ kind }) => kind === "transitioning");
      await join(stage, 2000);
    },
  ),
  scenario(
    "bad-settings",
    "every mistake is named at once",
    "Bootstrap not checked (SettingsInvalid): 2 settings are not valid: ",
    async (stage) => {
      await begin(stage, 0, { publicSettings: { timeoutSeconds: "9000", mode: "strict", pollSecond: "5" } });
    },
  ),
  scenario(
    "download-unreachable",
    "a required check bundle cannot be had",
    "Bootstrap not checked (CheckUnavailable): The check bundle 9.9.9 cannot be had",
    async (stage) => {
      await begin(stage, 0, {
        publicSettings: {
          ...quick,
          timeoutSeconds: "40",
          checkVersion: "9.9.9",
          checkSha256: "0".repeat(64),
          checkBaseUris: "http://127.0.0.1:9/checks",
          checkRequired: "true",
        },
      });
    },
  ),
];

type Row = readonly [name: string, about: string, expected: string, play: Scenario["play"]];

function scenario(...[name, about, expected, play]: Row): Scenario {
  return { name, about, expected, play, sequence: 0 };
}

async function begin(stage: Stage, sequence: number, settings: HandlerSettings): Promise<void> {
  stage.agent.putSettings(sequence, settings);
  for (const command of ["install", "enable"] as const) await call(stage, command, sequence);
}

async function callEnable(stage: Stage, sequence: number): Promise<void> {
  await call(stage, "enable", sequence);
}

async function call({ agent, say }: Stage, command: "install" | "enable", sequence: number): Promise<void> {
  const started = performance.now();
  const result = await agent.run(command, sequence);
  say(`  agent: ${command} → exit ${String(result.exitCode)} in ${String(Math.round(performance.now() - started))} ms`);
  if (result.output.trim() !== "") say(`  ${result.output.trim()}`);
}

/** Time goes on in the machine until the deadline. */
async function untilError({ machine, agent }: Stage): Promise<void> {
  const clock = setInterval(() => {
    machine.tick();
  }, 1000);
  await statusThat(agent, 0, ({ kind }) => kind === "error");
  clearInterval(clock);
}

async function join({ machine, say }: Stage, afterMs: number): Promise<void> {
  cloudInitRuns(machine);
  await pause(afterMs);
  say("  (kubeadm join succeeds; the sentinel is written)");
  kubeadmJoins(machine);
}
