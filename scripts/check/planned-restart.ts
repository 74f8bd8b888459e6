import { askOne, type Asking } from "./ask-many.ts";
import type { Moment } from "./observed.ts";

/** systemd writes it where a restart was asked for at a later time, and takes it away where it was called off. */
const scheduled = "/run/systemd/shutdown/scheduled";
/** One that comes later is of no use to a bootstrap: updates restart machines at night. */
const soonMs = 600_000;

/** A restart that is about to come, as a sentence: what was enabled until now is started by it. */
export function* observePlannedRestart({ wallMs }: Moment): Asking<string | undefined> {
  const answer = yield* askOne({ ask: "text", path: scheduled });
  if (answer?.kind !== "text" || !/^MODE=(?:reboot|kexec|soft-reboot)$/mu.test(answer.text)) return undefined;
  const at = Number(/^USEC=(?<at>\d{1,20})$/mu.exec(answer.text)?.groups?.["at"] ?? Number.NaN) / 1000;
  // One that is long past was left behind where /run is on the disk.
  const isSoon = at - wallMs < soonMs && wallMs - at < soonMs;
  return isSoon ? `${scheduled} says that the machine is about to restart` : undefined;
}
