import type { Memory } from "./look.ts";
import type { BootAnswer, MachineAnswer, PathAnswer } from "./questions.ts";

/** What both systems ask first: which boot and machine this is, what time it is, and what an earlier look remembered. */
export interface Moment {
  readonly boot: BootAnswer;
  readonly machine: MachineAnswer;
  readonly wallMs: number;
  readonly monotonicMs: number;
  readonly memory: Memory;
  /** What the next look shall find again. */
  readonly remember: Record<string, string>;
}

/** Clocks are set, and the kernel rounds: two times nearer than this are the same. */
export const sameTimeMs = 5000;

/** When this boot began, by the present wall clock. Wrong by as much as the clock was set since: only where nothing better is at hand. */
export function bootAt({ boot, wallMs }: Pick<Moment, "boot" | "wallMs">): number {
  return wallMs - boot.uptimeMs;
}

/** By a clock that did not go back: since this boot began, and not later than now. */
export function isSinceBoot(moment: Moment, at: number): boolean {
  return at >= bootAt(moment) && at <= moment.wallMs + sameTimeMs;
}

/** Was this file written in this boot? What lies in a memory file system was, whatever its time says; elsewhere a file of the future is of none. */
export function isOfThisBoot(moment: Moment, path: string, answer: PathAnswer | undefined): boolean {
  if (answer === undefined || answer.kind === "absent") return false;
  if (path.startsWith("/run/") && moment.boot.runIsMemory === true) return true;
  return answer.modifiedMs >= bootAt(moment) - sameTimeMs && answer.modifiedMs <= moment.wallMs + sameTimeMs;
}

/** For how long the same has been seen in this boot, on the monotonic clock. */
export function seenForMs(moment: Moment, name: string, what: string): number {
  const [boot, since, ...rest] = (moment.memory[name] ?? "").split(" ");
  const same = boot === moment.boot.id && rest.join(" ") === what && since !== undefined;
  const first = same ? Number(since) : moment.monotonicMs;
  moment.remember[name] = `${moment.boot.id} ${first} ${what}`;
  return moment.monotonicMs - first;
}
