import { compareTexts } from "../verdict/next-verdict.ts";
import type { HealingMachine } from "./healing-machine.ts";

/**
 * How many machines of one owner were marked for this reason, counted back from the newest mark, until another reason or a success
 * comes between. Machines that are gone count too: that is how a replacement that fails in the same way is known.
 * A success has the time of its node's clock: one from the future says nothing, else one wrong clock would end all counting.
 */
export function sameReasonStreak(machines: readonly HealingMachine[], reason: string, now: string): number {
  const lastSuccess = machines
    .filter(({ verdict }) => verdict.outcome === "bootstrapped" && verdict.time <= now)
    .map(({ verdict }) => verdict.time)
    .toSorted(compareTexts)
    .at(-1);
  const marks = machines
    .flatMap(({ mark }) => (mark === undefined ? [] : [mark]))
    .filter(({ at }) => lastSuccess === undefined || at > lastSuccess)
    .toSorted((a, b) => compareTexts(b.at, a.at));
  const other = marks.findIndex((mark) => mark.reason !== reason);
  return other === -1 ? marks.length : other;
}
