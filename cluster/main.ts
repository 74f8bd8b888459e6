import { runCli } from "./cli.ts";
import { printAside } from "./terminal.ts";

const oldestNode = 22;

/** Entry of the program. SIGTERM, by which Kubernetes ends a Pod, ends the work in order; a second signal ends it at once. */
async function main(): Promise<void> {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < oldestNode) {
    throw new Error(`Node.js ${String(oldestNode)} or later is needed; ${process.execPath} is ${process.version}.`);
  }
  const over = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      over.abort();
    });
  }
  // Whoever read it has gone (`status --watch | head`), so nothing that is still to come is heard.
  process.stdout.once("error", () => {
    over.abort();
  });
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    signal: over.signal,
    width: process.stdout.isTTY ? process.stdout.columns : 0,
  });
}

main().catch((error: unknown) => {
  printAside(`capz-bootstrap-cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 3;
});
