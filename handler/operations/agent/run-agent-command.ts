import {
  exitCodeOfPackageNotWhole,
  isPackageNotWhole,
  toHandlerError,
  type HandlerError,
} from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { disable, install, uninstall, update } from "./agent-commands.ts";
import { loadAgentContext, loadSequenceContext, type SequenceContext } from "../context.ts";
import { enable } from "./enable.ts";
import { show } from "../../text/shown-text.ts";
import { loadStopContext } from "../stop-context.ts";
import { tellError } from "../tell-error.ts";
import { printAside } from "../terminal.ts";

/** The handler protocol at a glance (HandlerManifest.json), plus the part that `enable` starts. */
export const agentCommandNames = ["install", "enable", "disable", "update", "uninstall", "supervise"] as const;
export type AgentCommandName = (typeof agentCommandNames)[number];

/** By Microsoft's convention for handlers: 53 = configuration error. The Linux agent knows only zero and non-zero. */
const exitCodeOnFailure = 53;
/** Above 128, so that systemd and the guardian take it for an end by signal and start the supervisor again. */
const exitCodeInterrupted = 143;

/** Runs one command of the guest agent; returns its exit code. What it prints may become visible in the portal. */
export async function runAgentCommand(name: AgentCommandName, args: readonly string[], host: Host): Promise<number> {
  switch (name) {
    case "install":
      return report(name, async () => {
        await install(await loadAgentContext(host, name));
      });
    case "enable":
      return runEnable(host);
    case "disable":
      return tolerate(name, async () => disable(await loadStopContext(host, name)));
    case "update":
      return tolerate(name, async () => {
        await update(await loadStopContext(host, name));
      });
    case "uninstall":
      return tolerate(name, async () => uninstall(await loadStopContext(host, name)));
    case "supervise":
      return runSupervise(args, host);
  }
}

/**
 * A failure of these three would block every later update and removal for ever (agent contract): say it, and succeed. Where a part of
 * the program is missing, the launcher does the stopping, and succeeds.
 */
async function tolerate(name: string, command: () => Promise<void>): Promise<number> {
  return (await report(name, command)) === exitCodeOfPackageNotWhole ? exitCodeOfPackageNotWhole : 0;
}

async function report(name: string, command: () => Promise<void>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (thrown) {
    printError(name, toHandlerError(thrown));
    return isPackageNotWhole(thrown) ? exitCodeOfPackageNotWhole : exitCodeOnFailure;
  }
}

/** A non-zero exit hides our status behind "handler failed": only when no status can be written either. */
async function runEnable(host: Host): Promise<number> {
  let context: SequenceContext | undefined;
  try {
    context = await loadSequenceContext(host, "enable");
    await enable(context);
    return 0;
  } catch (thrown) {
    const error = toHandlerError(thrown);
    context?.log.error(`${error.id}: ${error.message}`);
    printError("enable", error);
    return context !== undefined && (await tellError(context, error)) ? 0 : exitCodeOnFailure;
  }
}

async function runSupervise(args: readonly string[], host: Host): Promise<number> {
  // The optimizing compiler would run a little in the first seconds, and 5 MiB of its code would stay mapped for the whole wait;
  // loading the parts of the supervisor is enough to start it. Not a flag of the launcher: it makes Node refuse its own code
  // cache, which costs every command 15 ms (decision 0007).
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--no-opt");
  // A wait compiles again and again what it then does twice a minute. Who has work to do takes these back: foresight.ts.
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--no-sparkplug");
  const { superviseCommand } = await import("../supervise/supervise-command.ts");
  const end = await superviseCommand(args, host);
  return end === "interrupted" ? exitCodeInterrupted : 0;
}

function printError(name: string, error: HandlerError): void {
  printAside(show(`capz-bootstrap ${name}: ${error.message}. Next: ${error.hint}.`));
}
