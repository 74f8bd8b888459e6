import { rmSync, statSync } from "node:fs";
import { clearUserFolder } from "../../check/obtain/command-place.ts";
import { HandlerError, systemErrorCode } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { liveHolder, type LockHolder } from "../../state/exclusive-lock.ts";
import { instanceFolder } from "../../state/run-state.ts";
import { show, type ShownText } from "../../text/shown-text.ts";
import { markStopped } from "../stop-mark.ts";
import { commandHasEnded, supervisorLock } from "../supervisor.ts";
import { printAside } from "../terminal.ts";

/** The private folder of `capz-bootstrap run`, apart from those of the extension. */
export function runInstance({ platform, root }: Host): string {
  return instanceFolder({ stateFolder: platform.paths(root).state, handlerName: "run", extensionName: undefined });
}

/**
 * Whether any `run` has been there. To a user who may not look it is neither there nor absent.
 * @throws the system error where it cannot be told
 */
function isThere(instance: string): boolean {
  try {
    return statSync(instance).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The `run` that is at work on this machine; undefined when there is none. */
export async function runAtWork(host: Host): Promise<LockHolder | undefined> {
  const instance = runInstance(host);
  if (!isThere(instance)) return undefined;
  const { bootId } = await host.platform.machineIdentity(host.root, host.run);
  return liveHolder(supervisorLock({ host, instance }, bootId));
}

/**
 * `capz-bootstrap end-run`: ends a `run` that is at work, with what it started, so that its program can be replaced or removed.
 * With `forget` its state and its downloads go too.
 * @throws HandlerError `internal` when it does not end; the system error for a user who may not look
 */
export async function endRun(host: Host, { forget }: { readonly forget: boolean }): Promise<ShownText> {
  const instance = runInstance(host);
  // Also for one that has begun and holds no lock yet.
  if (isThere(instance)) markStopped({ instance, log: { warn } }).close();
  const holder = await runAtWork(host);
  if (holder !== undefined) {
    const { pid, startTime, marker, sequence } = holder;
    const keepTree = commandHasEnded(instance, sequence);
    const { platform, root, run } = host;
    await platform.stopSupervisor({ unit: "", root, pid, startTime, marker, keepTree, inForeground: true }, run);
    if ((await runAtWork(host)) !== undefined)
      throw new HandlerError("internal", `The run at work (process ${String(pid)}) could not be ended`, {
        hint: `End the process ${String(pid)}`,
      });
  }
  if (forget && isThere(instance)) {
    await clearUserFolder(host, instance, instance);
    rmSync(instance, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  return show(`capz-bootstrap end-run: ${holder === undefined ? "no run was at work" : "the run at work is ended"}`);
}

function warn(text: string): void {
  printAside(show(`capz-bootstrap end-run: ${text}`));
}
