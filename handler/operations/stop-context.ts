import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { conventionalEnvironment } from "../contract/handler-environment.ts";
import { findExtensionName } from "../contract/sequence-number.ts";
import { HandlerError, toHandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { createQuickLog } from "../logging/quick-log.ts";
import { lastHolder } from "../state/exclusive-lock.ts";
import { instanceFolder } from "../state/run-state.ts";
import { show } from "../text/shown-text.ts";
import { handlerVersion } from "../version.ts";
import { loadAgentContext, type AgentContext } from "./context.ts";
import { supervisorLock } from "./supervisor.ts";
import { printAside } from "./terminal.ts";
import { namesIfThere } from "../files/names-if-there.ts";

/**
 * The context of `disable`, `update` and `uninstall`. They must stop the supervisor also where the agent's HandlerEnvironment.json
 * is lost or broken: then the names of the agent's own folders and the supervisor's lock say which one is ours, and the caller is told.
 */
export async function loadStopContext(host: Host, operation: string): Promise<AgentContext> {
  try {
    return await loadAgentContext(host, operation);
  } catch (thrown) {
    if (!(thrown instanceof HandlerError) || thrown.id !== "environmentUnreadable") throw thrown;
    const context = conventionalContext(host, operation);
    const told = `${toHandlerError(thrown).message}. ${describe(context)}`;
    context.log.warn(`${operation}: ${told}`);
    printAside(show(`capz-bootstrap ${operation}: ${told}`));
    return context;
  }
}

function conventionalContext(host: Host, operation: string): AgentContext {
  const environment = conventionalEnvironment(host.programFolder, host.platform.logFolders(host.root)[0] ?? host.root);
  const { extensionName } = findExtensionName(host.env);
  const log = createQuickLog({ folder: environment.logFolder, operation, sequence: undefined, handlerVersion }, host);
  const stateFolder = host.platform.paths(host.root).state;
  const byName = instanceFolder({ stateFolder, handlerName: environment.name, extensionName });
  const instance = existsSync(byName)
    ? byName
    : (instanceByLock({ host, stateFolder, handlerFolder: environment.handlerFolder, extensionName }) ?? byName);
  return { host, environment, extensionName, instance, log };
}

interface LockSearch {
  readonly host: Host;
  readonly stateFolder: string;
  readonly handlerFolder: string;
  readonly extensionName: string | undefined;
}

/** The agent's file may have named the handler otherwise than its folder does: a lock says whose status its holder writes. */
function instanceByLock({ host, stateFolder, handlerFolder, extensionName }: LockSearch): string | undefined {
  return namesIfThere(stateFolder)
    .filter((name) => name.split("+")[1] === extensionName)
    .map((name) => join(stateFolder, name))
    .find((instance) => {
      const status = statusFolderOf(host, instance);
      return status !== undefined && join(handlerFolder, basename(status)) === status;
    });
}

function statusFolderOf(host: Host, instance: string): string | undefined {
  try {
    return lastHolder(supervisorLock({ host, instance }, ""))?.statusFolder;
  } catch {
    return undefined; // a file, or a folder that cannot be listed
  }
}

function describe({ instance }: AgentContext): string {
  return existsSync(instance)
    ? `Going by the handler's folder instead: the supervisor of ${instance} is ended`
    : `Going by the handler's folder instead: there is no state in ${instance}, and no lock of a supervisor of this handler, so nothing is there to end`;
}
