import { errorText } from "../../errors/handler-error.ts";
import { acquireLock, type LockResult } from "../../state/exclusive-lock.ts";
import type { SequenceContext } from "../context.ts";
import { isNewest } from "../is-newest.ts";
import { besideMarker } from "./look-beside-command.ts";
import { commandHasEnded, selfAsHolder, servesUs, stopSupervisor, supervisorLock } from "../supervisor.ts";

/** Who is not of the newest settings gives way after so long; who is asks again as often. */
const takeOverMs = 15_000;
const takeOverPauseMs = 50;
/**
 * `enable` has stopped the supervisor of older settings before it started us. One that took its lock only after that, because
 * a busy machine needed seconds to start it, was missed.
 */
const evictAfterMs = 2000;

/**
 * One supervisor per extension instance. One of the same sequence that lives makes us superfluous; one of another sequence
 * is being stopped by `enable`, and that of the newest settings waits for its end: nobody else owes a verdict on these. What a
 * killed predecessor's check left running is ended, so no check ever runs twice at a time; of other settings `enable` has ended it.
 */
export async function takeLock(context: SequenceContext, marker: string, signal: AbortSignal): Promise<boolean> {
  const { host, identity, sequence } = context;
  const lock = supervisorLock(context, identity.bootId);
  const self = await selfAsHolder(context, marker);
  for (let waited = 0; !signal.aborted; waited += takeOverPauseMs) {
    let result: LockResult;
    try {
      result = await acquireLock(lock, self);
    } catch (error) {
      // A full or read-only disk. The service manager runs one supervisor of a name only, and a verdict is owed all the same.
      context.log.error(`supervise: going on without a lock in "${lock.folder}": ${errorText(error)}`);
      return true;
    }
    if (result.kind === "acquired") {
      if (result.previous !== undefined && !commandHasEnded(context.instance, sequence)) {
        await host.platform.killTree({ marker, graceMs: 0 }, host.run);
        await host.platform.killTree({ marker: besideMarker(marker), graceMs: 0 }, host.run);
      }
      return true;
    }
    if (result.holder !== undefined && servesUs(context, result.holder)) {
      context.log.info(`supervise: process ${String(result.holder.pid)} is at work on this sequence; nothing to do`);
      return false;
    }
    if (waited >= takeOverMs && !isNewest(context)) {
      context.log.warn("supervise: a supervisor of other settings does not end; giving way to it");
      return false;
    }
    if (waited % takeOverMs === evictAfterMs) await evictOlder(context);
    await host.sleep(takeOverPauseMs, signal);
  }
  return false;
}

async function evictOlder(context: SequenceContext): Promise<void> {
  if (!isNewest(context)) return;
  context.log.warn("supervise: a supervisor of older settings or of another version is still at work; ending it");
  await stopSupervisor(context, context.identity.bootId);
}
