import { parseArgs } from "node:util";
import { clusterScenario, playCluster } from "./start/cluster-scenario.ts";
import { packageForHost } from "./start/package-for-host.ts";
import { createAgentPlayer } from "./start/agent-player.ts";
import { scenarios, type Scenario } from "./start/scenarios.ts";
import { createScratchMachine } from "./start/scratch-machine.ts";
import { showForOperator, showStatuses, statusThat } from "./start/show-status.ts";

const help = `npm start [-- --scenario NAME]

Builds the package, lays out a scratch machine, plays the guest agent and shows the status as it changes.
Without --scenario: a node that joins, and one that fails with a reason. "all" plays every scenario.

${[...scenarios, clusterScenario].map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join("\n")}
`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { scenario: { type: "string" }, help: { type: "boolean" } } });
  if (values.help === true) {
    say(help);
    return 0;
  }
  const chosen = choose(values.scenario);
  const withCluster = values.scenario === "all" || values.scenario === clusterScenario.name;
  if (values.scenario === clusterScenario.name) return (await playManagementSide()) ? 0 : 1;
  if (chosen.length === 0) {
    say(`There is no scenario "${values.scenario ?? ""}".\n\n${help}`);
    return 64;
  }
  const { zip, version } = packageForHost();
  say(`Package: ${zip}`);
  let wrong = 0;
  for (const scenario of chosen) wrong += (await play(scenario, zip, version)) ? 0 : 1;
  if (withCluster && !(await playManagementSide())) wrong += 1;
  return wrong === 0 ? 0 : 1;
}

async function playManagementSide(): Promise<boolean> {
  say(`\n── ${clusterScenario.name}: ${clusterScenario.about}`);
  const asItShould = await playCluster(say);
  if (!asItShould) say("\nThis is not as it should be: the failure should stay on the Machine while CAPZ says True.");
  return asItShould;
}

function choose(name: string | undefined): readonly Scenario[] {
  if (name === "all") return scenarios;
  const names = name === undefined ? ["bootstrapped", "cloud-init-failed"] : [name];
  return scenarios.filter((scenario) => names.includes(scenario.name));
}

async function play(scenario: Scenario, zip: string, version: string): Promise<boolean> {
  const machine = createScratchMachine();
  const started = performance.now();
  const sayTimed = (line: string) => {
    say(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  };
  say(`\n── ${scenario.name}: ${scenario.about}`);
  try {
    const agent = createAgentPlayer({ root: machine.root, zip, version });
    const over = new AbortController();
    const showing = showStatuses(agent, scenario.sequence, { say: sayTimed, signal: over.signal });
    await scenario.play({ machine, agent, say: sayTimed });
    const status = await statusThat(agent, scenario.sequence, ({ kind }) => kind === "success" || kind === "error");
    over.abort();
    await showing;
    showForOperator(status, say);
    for (const command of ["disable", "uninstall"] as const) await agent.run(command, scenario.sequence);
    if (status.message.startsWith(scenario.expected)) return true;
    say(`\nThis is not as it should be: the message should begin with "${scenario.expected}".`);
    return false;
  } finally {
    machine.discard();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
