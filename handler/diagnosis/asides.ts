import type { Applied } from "./applied.ts";
import type { SourceId } from "./diagnosis.ts";
import type { ErrorLine } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import { programOfUnit } from "./reading/programs.ts";
import { tagOf } from "./bystanders.ts";

interface Said {
  readonly source: SourceId;
  readonly text: string;
}

/** Whoever runs the steps of a bootstrap may have any name; these have one that says so. */
const mayBootstrap =
  /^(?:ba|da)?sh$|\.sh$|kube|nodeadm|nodeup|boot|cloud|init|install|provision|setup|user-?data|runcmd|ignition|afterburn|cni|ansible|puppet|chef|salt/iu;

/** In the log of the whole machine, a service of which nobody knows that a node needs it. */
function isAside({ source, text }: Said): boolean {
  if (source !== "system") return false;
  const tag = tagOf(text);
  if (tag === "" || mayBootstrap.test(tag)) return false;
  return tag === "snapd" || programOfUnit(tag) === undefined;
}

/** A cause of which only such services speak. */
function isSaidAside({ events }: Applied): boolean {
  return events.length > 0 && events.every(isAside);
}

/** What other services of the machine complain of is no cause where a step of the bootstrap ended, of which another log tells. */
export function withoutAsides(open: readonly Applied[], errorLines: readonly ErrorLine[]): readonly Applied[] {
  const own = open.filter((one) => !isSaidAside(one));
  if (own.length === open.length) return open;
  const told = new Set(open.filter((one) => !own.includes(one)).flatMap(({ events }) => events.map(originOf)));
  const ended = errorLines.some((error) => error.weight === 3 && !isAside(error) && !told.has(originOf(error)));
  return own.length > 0 || ended ? own : open;
}

function originOf({ originIndex }: Pick<LineEvent, "originIndex">): number {
  return originIndex;
}
