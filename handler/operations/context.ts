import { basename } from "node:path";
import type { SequenceFile } from "../contract/sequence-files.ts";
import { findExtensionName, findSequence } from "../contract/sequence-number.ts";
import { errorText } from "../errors/handler-error.ts";
import { readHandlerEnvironment, type HandlerEnvironment } from "../contract/handler-environment.ts";
import type { Host } from "../host.ts";
import type { Log } from "../logging/log.ts";
import { createQuickLog } from "../logging/quick-log.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import { instanceFolder } from "../state/run-state.ts";
import { handlerVersion } from "../version.ts";

/** What every command of the guest agent works with. */
export interface AgentContext {
  readonly host: Host;
  readonly environment: HandlerEnvironment;
  readonly extensionName: string | undefined;
  /** Our private folder of this extension instance; not made yet. */
  readonly instance: string;
  readonly log: Log;
}

/** The same for the commands that act on one sequence of settings. */
export interface SequenceContext extends AgentContext {
  readonly sequence: number;
  readonly identity: MachineIdentity;
}

export async function loadAgentContext(host: Host, operation: string): Promise<AgentContext> {
  const environment = await readHandlerEnvironment(host);
  const { extensionName, warnings } = findExtensionName(host.env);
  const log = createQuickLog({ folder: environment.logFolder, operation, sequence: undefined, handlerVersion }, host);
  for (const warning of warnings) log.warn(warning);
  return { host, environment, extensionName, instance: instanceOf(host, environment, extensionName), log };
}

export async function loadSequenceContext(host: Host, operation: string): Promise<SequenceContext> {
  const environment = await readHandlerEnvironment(host);
  const asked = await askedSequence(host, environment);
  const { sequence, extensionName } = asked;
  const log = createQuickLog({ folder: environment.logFolder, operation, sequence, handlerVersion }, host);
  for (const warning of asked.warnings) log.warn(warning);
  const identity = await host.platform.machineIdentity(host.root, host.run);
  const instance = instanceOf(host, environment, extensionName);
  return { host, environment, extensionName, instance, log, sequence, identity };
}

/** Where neither the environment nor a settings file says it, the agent's own note does (Windows). */
async function askedSequence(host: Host, environment: HandlerEnvironment): Promise<SequenceFile & Warnings> {
  try {
    return await findSequence(host.env, environment.configFolder);
  } catch (unknown) {
    const handler = { name: environment.name, version: basename(environment.handlerFolder) };
    const sequence = await host.platform.recordedSequence?.(handler, host.run);
    if (sequence === undefined) throw unknown;
    return { sequence, warnings: [`${errorText(unknown)}; the agent's note in the registry says ${String(sequence)}`] };
  }
}

interface Warnings {
  readonly warnings: readonly string[];
}

function instanceOf(host: Host, environment: HandlerEnvironment, extensionName: string | undefined): string {
  const stateFolder = host.platform.paths(host.root).state;
  return instanceFolder({ stateFolder, handlerName: environment.name, extensionName });
}
