import { compareTexts } from "../verdict/next-verdict.ts";
import { heardOf } from "../verdict/stamps.ts";
import type { HealingMachine } from "./healing-machine.ts";

/**
 * How many machines of one owner were marked for this reason, counted back from the newest mark, until another reason or a success
 * comes between. Machines that are gone count too: that is how a replacement that fails in the same way is known.
 * A success counts from when it was heard: the clock of its node may be wrong, and one from the future would end all counting.
 */
export function sameReasonStreak(machines: readonly HealingMachine[], reason: string, now: string): number {
  const lastSuccess = machines
    .filter(({ verdict }) => verdict.outcome === "bootstrapped" && heardOf(verdict) <= now)
    .map(({ verdict }) => heardOf(verdict))
    .toSorted(compareTexts)
    .at(-1);
  const marks = machines
    .flatMap(({ mark }) => (mark === undefined ? [] : [mark]))
    .filter(({ at }) => lastSuccess === undefined || at > lastSuccess)
    .toSorted((a, b) => compareTexts(b.at, a.at));
  const other = marks.findIndex((mark) => mark.reason !== reason);
  return other === -1 ? marks.length : other;
}
