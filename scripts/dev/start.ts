import { Command, CommanderError } from "commander";
import { join } from "node:path";
import { clusterScenario, playCluster } from "./start/cluster-scenario.ts";
import { packageForHost } from "./start/package-for-host.ts";
import { createAgentPlayer } from "./start/agent-player.ts";
import { scenarios, type Scenario } from "./start/scenarios.ts";
import { createScratchMachine } from "./start/scratch-machine.ts";
import { closestWord } from "../../handler/text/closest-word.ts";
import { showForOperator, showStatuses, statusThat } from "./start/show-status.ts";
import { createTerminal } from "./start/terminal.ts";

const terminal = createTerminal(process.stdout);
const { say } = terminal;
/** What stays of the machines: their logs, with the reports. */
const machines = join(import.meta.dirname, "../../dist/machines");

const command = new Command("npm start --")
  .description(
    "Builds the package, lays out a scratch machine, plays the guest agent and shows the status as it changes.",
  )
  .option(
    "--scenario <name>",
    'one of those below; "all" plays every one. Without: a node that joins, and one that fails',
  )
  .addHelpText(
    "after",
    `\nScenarios:\n${[...scenarios, clusterScenario].map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join("\n")}`,
  )
  .showHelpAfterError("npm start -- --help lists the options and scenarios.")
  .exitOverride();

async function main(): Promise<number> {
  command.parse();
  const { scenario } = command.opts<{ readonly scenario?: string }>();
  if (scenario === clusterScenario.name) return (await playManagementSide()) ? 0 : 1;
  const chosen = choose(scenario);
  if (chosen.length === 0) {
    const names = [...scenarios, clusterScenario].map(({ name }) => name);
    const meant = closestWord(scenario ?? "", names);
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    process.stderr.write(`There is no scenario "${scenario ?? ""}".${hint} Scenarios: all, ${names.join(", ")}.\n`);
    return 64;
  }
  const { zip, version } = packageForHost();
  say(`Package: ${zip}`);
  let wrong = 0;
  for (const one of chosen) wrong += (await play(one, zip, version)) ? 0 : 1;
  if (scenario === "all" && !(await playManagementSide())) wrong += 1;
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
  const machine = createScratchMachine(join(machines, scenario.name));
  const started = performance.now();
  const sayTimed = (line: string) => {
    say(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  };
  say("");
  terminal.sayColoured("bold", `── ${scenario.name}: ${scenario.about}`);
  try {
    const agent = createAgentPlayer({ root: machine.root, zip, version });
    const over = new AbortController();
    const showing = showStatuses(agent, scenario.sequence, { say: sayTimed, signal: over.signal });
    await scenario.play({ machine, agent, say: sayTimed });
    const status = await statusThat(agent, scenario.sequence, ({ kind }) => kind === "success" || kind === "error");
    over.abort();
    await showing;
    showForOperator(status, terminal);
    for (const command of ["disable", "uninstall"] as const) await agent.run(command, scenario.sequence);
    if (status.message.startsWith(scenario.expected)) return true;
    say(`\nThis is not as it should be: the message should begin with "${scenario.expected}".`);
    return false;
  } finally {
    machine.keepLogs();
  }
}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 64;
  throw error;
});
