import { cwd } from "node:process";
import { addDiagnose, addExplain, addReason, addSettings } from "./cli.ts";
import { createHost } from "./create-host.ts";
import { overCopies } from "./operations/people/diagnose-words.ts";
import { printAside } from "./operations/terminal.ts";
import { linux } from "./platform/linux.ts";
import { runProgram } from "./run-program.ts";
import { show } from "./text/shown-text.ts";

const about = `Tells when and why a Cluster API machine on Azure failed to become a Kubernetes node.

The client of the CAPZ bootstrapping extension: it reads what Azure, Kubernetes and copied logs say, on any machine with Node 22 or newer. It asks nothing of the network and changes nothing.`;

/**
 * Entry of the client: the commands that need no node. The same sources as the extension's own program, built into one file for Linux,
 * macOS and Windows (publish/build-client.ts).
 */
async function main(): Promise<void> {
  // Never this machine's own logs: it is not the node. Copied files show what system they are of; where they do not, it is Linux.
  const host = { ...createHost(linux), root: currentFolder() };
  process.exitCode = await runProgram(process.argv.slice(2), about, (program, finish) => {
    addExplain(program, host, finish);
    addDiagnose(program, { host, words: overCopies }, finish);
    addReason(program, finish);
    addSettings(program, host, finish);
  });
}

/** The shell may stand in a folder that is gone, which only a command that looks there has to mind. */
function currentFolder(): string {
  try {
    return cwd();
  } catch {
    return ".";
  }
}

main().catch((error: unknown) => {
  printAside(show(`capz-bootstrap: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
  process.exitCode = 70;
});
