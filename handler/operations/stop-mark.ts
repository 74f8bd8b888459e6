import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../errors/handler-error.ts";
import { temporaryFile } from "../files/temporary-file.ts";
import type { AgentContext } from "./context.ts";

type Marked = Pick<AgentContext, "instance">;

const nothingLeft = "nothing is left";

/** A mark that was left, by the one who left it. */
export interface StopMark {
  /** Into the mark itself: one that `enable` has taken meanwhile is gone, so what is written never stands beside a supervisor that it started. */
  noteNothingLeft(): void;
  close(): void;
}

/**
 * `disable` and `uninstall` can come before the supervisor that `enable` has just started holds its lock (a busy machine needs
 * seconds to start it), and then find nobody to stop. They leave this mark first and look for the lock second; the supervisor
 * takes the lock first and looks for the mark second: so one of the two sees the other. `end-run` and `run` do the same.
 */
export function markStopped(context: Marked & { readonly log: Pick<AgentContext["log"], "warn"> }): StopMark {
  try {
    const file = openMark(context);
    return {
      noteNothingLeft: () => {
        writeNote(file);
      },
      close: () => {
        closeSync(file);
      },
    };
  } catch (error) {
    context.log.warn(`A supervisor that is being started cannot be told to end: ${String(error)}`);
    return { noteNothingLeft: () => undefined, close: () => undefined };
  }
}

function openMark(context: Marked): number {
  const draft = temporaryFile(context.instance);
  const file = openSync(draft, "wx", 0o600);
  try {
    // In the place of an earlier mark, never after it: a supervisor may be looking.
    renameSync(draft, markPath(context));
    return file;
  } catch (error) {
    closeSync(file);
    rmSync(draft, { force: true });
    throw error;
  }
}

/** On a full disk there is no note, and `enable` looks for itself. */
function writeNote(file: number): void {
  try {
    writeSync(file, nothingLeft);
  } catch {
    return;
  }
}

export function isStopped(context: Marked): boolean {
  return existsSync(markPath(context));
}

/** What `enable` has found. */
export interface TakenMark {
  readonly wasThere: boolean;
  /** It says that nothing was left at work. One that cannot be read says nothing. */
  readonly nothingIsLeft: boolean;
}

/** Takes the mark away, before anything is started. */
export function takeStopped(context: Marked): TakenMark {
  const taken = temporaryFile(context.instance);
  try {
    renameSync(markPath(context), taken);
  } catch (error) {
    rmSync(markPath(context), { recursive: true, force: true });
    return { wasThere: systemErrorCode(error) !== "ENOENT", nothingIsLeft: false };
  }
  try {
    return { wasThere: true, nothingIsLeft: readFileSync(taken, "utf8") === nothingLeft };
  } catch {
    return { wasThere: true, nothingIsLeft: false };
  } finally {
    rmSync(taken, { recursive: true, force: true });
  }
}

function markPath(context: Marked): string {
  return join(context.instance, "stopped");
}
