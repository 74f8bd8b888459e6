import type { ClusterLog, World } from "../world.ts";

export interface CalmLimits {
  /** Warnings of one shape that are printed in a window. */
  readonly lines: number;
  readonly windowMs: number;
  /** Shapes that are remembered at once; beyond them all are forgotten, and each is printed anew. */
  readonly shapes: number;
}

const calm: CalmLimits = { lines: 10, windowMs: 600_000, shapes: 1000 };

interface Window {
  readonly openedAtMs: number;
  seen: number;
}

/**
 * The log of a fleet: one refusal of the API server meets each of 5,000 Machines, and again at every new try. Of the warnings that differ only in whom they
 * are about, a few are printed in ten minutes; how many more there were is said by the first one after that.
 */
export function createCalmLog(log: ClusterLog, world: World, limits: CalmLimits = calm): ClusterLog {
  const windows = new Map<string, Window>();
  return {
    info: log.info,
    warn: (message) => {
      const shape = shapeOf(message);
      const nowMs = world.monotonicMs();
      const last = windows.get(shape);
      if (last === undefined || nowMs - last.openedAtMs >= limits.windowMs) {
        if (windows.size >= limits.shapes) windows.clear();
        windows.set(shape, { openedAtMs: nowMs, seen: 1 });
        const heldBack = Math.max(0, (last?.seen ?? 0) - limits.lines);
        log.warn(
          heldBack === 0 ? message : `${message} (${String(heldBack)} lines like this one were held back before)`,
        );
        return;
      }
      last.seen += 1;
      if (last.seen < limits.lines) log.warn(message);
      else if (last.seen === limits.lines) log.warn(`${message} (${heldBackNow(limits, nowMs - last.openedAtMs)})`);
    },
  };
}

function heldBackNow({ windowMs }: CalmLimits, sinceMs: number): string {
  return `more lines like this one are held back for ${String(Math.ceil((windowMs - sinceMs) / 60_000))} min`;
}

/** A warning without whom it is about: words that hold a path or `namespace/name`, a quoted name, or a number. */
function shapeOf(message: string): string {
  return message
    .split(" ")
    .map((word) => (/["/\d]/u.test(word) ? "*" : word))
    .join(" ");
}
