import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { clearUserFolder } from "../../check/obtain/command-place.ts";
import { errorText } from "../../errors/handler-error.ts";
import { isHolderUnknown, liveHolder } from "../../state/exclusive-lock.ts";
import { unfinishedSequences } from "../../state/run-state.ts";
import { show } from "../../text/shown-text.ts";
import type { AgentContext } from "../context.ts";
import { preparePrivateFolder } from "../prepare-private-folder.ts";
import { markStopped } from "../stop-mark.ts";
import { checkMarker, stopSupervisor, stopUnknownSupervisor, supervisorLock } from "../supervisor.ts";
import { printAside } from "../terminal.ts";
import { forgetUpdate, markUpdate, updateInProgress } from "./update-mark.ts";

/** Prepares the private folder. Everything else is made when it is needed. */
export async function install(context: AgentContext): Promise<void> {
  await preparePrivateFolder(context, { anew: true });
  context.log.info("install: done");
}

/** Stops the work and leaves the verdict and the state: an update goes on with them. Reads no settings. */
export async function disable(context: AgentContext): Promise<void> {
  if (existsSync(context.instance)) await stopForGood(context);
  context.log.info("disable: the supervisor is stopped");
}

/**
 * State needs no migration (same folder, versioned schema): only the old version's uninstall must know. The old version's
 * `disable` has stopped its supervisor, unless it was killed or has lost its program: then nobody else would.
 */
export async function update(context: AgentContext): Promise<void> {
  await preparePrivateFolder(context, { anew: false });
  markUpdate(context);
  await stopForGood(context);
  context.log.info("update: state is carried over");
}

/** Stops and removes private data, unless a new version goes on with it. */
export async function uninstall(context: AgentContext): Promise<void> {
  if (!existsSync(context.instance)) return;
  await stopForGood(context);
  if (updateInProgress(context)) {
    context.log.info("uninstall: part of an update; the state stays for the new version");
    return;
  }
  forgetUpdate(context);
  await clearUserFolder(context.host, context.instance, context.instance);
  removeIfEmpty(context.host.platform.paths(context.host.root).userFiles);
  // On Windows a process that was just ended keeps its files open for a moment.
  rmSync(context.instance, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  removeIfEmpty(dirname(context.instance));
  context.log.info("uninstall: private data is removed");
}

async function stopForGood(context: AgentContext): Promise<void> {
  const mark = markStopped(context);
  try {
    if ((await stopWork(context)) && (await nothingIsLeft(context))) mark.noteNothingLeft();
  } finally {
    // Windows removes no folder with an open file in it.
    mark.close();
  }
}

/** False when the supervisor could not be ended, or nobody can tell whether there is one. */
async function stopWork(context: AgentContext): Promise<boolean> {
  const boot = await bootId(context);
  await stopSupervisor(context, boot);
  const lock = supervisorLock(context, boot);
  const left = await liveHolder(lock).catch(() => undefined);
  if (left !== undefined) {
    tell(
      context,
      `The supervisor (process ${String(left.pid)}) could not be ended: it is still at work on sequence ${String(left.sequence)}`,
    );
    return false;
  }
  if (!isHolderUnknown(lock)) return true;
  // No proof that nobody holds it: on the same boot a lock is whole from its first moment.
  await stopUnknownSupervisor(context).catch((error: unknown) => {
    context.log.warn(`The service of the supervisor could not be stopped: ${errorText(error)}`);
  });
  tell(
    context,
    `The lock in ${lock.folder} cannot be read, so it is not known whose it is: the service of the newest settings was asked to end, and a supervisor outside a service may still be at work`,
  );
  return false;
}

function tell({ log }: AgentContext, told: string): void {
  log.error(told);
  printAside(show(`capz-bootstrap: ${told}`));
}

/** For `enable`, which else looks through all processes for what a supervisor of other settings that was killed left running. */
async function nothingIsLeft({ host, instance }: AgentContext): Promise<boolean> {
  const { isTreeGone } = host.platform;
  if (isTreeGone === undefined) return false;
  try {
    const gone = unfinishedSequences(instance).map((sequence) => isTreeGone(checkMarker(instance, sequence)));
    return (await Promise.all(gone)).every(Boolean);
  } catch {
    return false;
  }
}

async function bootId({ host }: AgentContext): Promise<string> {
  return (await host.platform.machineIdentity(host.root, host.run)).bootId;
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}
