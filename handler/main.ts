import { agentCommandNames, runAgentCommand } from "./operations/agent/run-agent-command.ts";
import { printAside, tellPackageNotWhole } from "./operations/terminal.ts";
import { show } from "./text/shown-text.ts";
import { createHost, ownPlatform } from "./create-host.ts";

/**
 * Entry of the program. The guest agent's commands go straight to their code: `enable` runs on every goal state and must
 * not pay for the command line of the commands for people.
 */
async function main(): Promise<void> {
  const host = createHost(await ownPlatform());
  const [name, ...args] = process.argv.slice(2);
  const agentCommand = agentCommandNames.find((known) => known === name);
  if (agentCommand !== undefined) {
    process.exitCode = await runAgentCommand(agentCommand, args, host);
    return;
  }
  const { runCli } = await import("./cli.ts");
  process.exitCode = await runCli(process.argv.slice(2), host);
}

function tell(error: unknown): void {
  process.exitCode = tellPackageNotWhole(error) ?? 70;
  if (process.exitCode !== 70) return;
  printAside(show(`capz-bootstrap: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
}

// What prints may be what is lost.
main().catch(tell).catch(tell);
