import { nextAskMs, settledMs } from "../arm/cadence.ts";
import type { ArmTarget } from "../arm/target.ts";
import { keyOfNamed, type KnownMachine } from "../objects/objects.ts";
import type { World } from "../world.ts";
import type { Book, Entry } from "./book.ts";
import { infraOf, placeOf, watchedMachine, type Caches, type Watched } from "./caches.ts";

/** One question to Azure, with the machines of which its answer tells. */
export interface Question {
  readonly target: ArmTarget;
  /** By resource id, lower case. */
  readonly machines: Map<string, Watched>;
  everyMs: number;
}

export interface QuestionParts {
  readonly caches: Caches;
  readonly book: Book;
  readonly world: World;
}

/**
 * What there is to ask, by what is asked: a VM, or all instances of a scale set in one question. VMs that have settled are most of a fleet; one
 * of them is here when it is time to look at it again.
 */
export function openQuestions({ caches, book, world }: QuestionParts): Map<string, Question> {
  const questions = new Map<string, Question>();
  const moment: Moment = { now: world.now(), nowMs: world.monotonicMs() };
  for (const machine of caches.machines.values()) {
    const entry = book.get(machine.uid);
    if (machine.deleting || isAsleep(machine, entry, moment.nowMs)) continue;
    const everyMs = everyMsOf(machine, entry, { caches, ...moment });
    if (everyMs >= settledMs && machine.infra.kind === "AzureMachine" && !isLookDue(entry, everyMs, world)) continue;
    const watched = watchedMachine(caches, keyOfNamed(machine));
    const place = watched === undefined ? undefined : placeOf(caches, machine);
    if (watched === undefined || place === undefined) continue;
    const question = questions.get(place.target.id) ?? { target: place.target, machines: new Map(), everyMs };
    question.machines.set(place.id, watched);
    question.everyMs = Math.min(question.everyMs, everyMs);
    questions.set(place.target.id, question);
  }
  return questions;
}

/** Settled, and not to be looked at yet: nearly every machine, at every tick, so nothing is made for it. */
function isAsleep({ infra }: KnownMachine, entry: Entry | undefined, nowMs: number): boolean {
  return entry?.lookAtMs !== undefined && nowMs < entry.lookAtMs && infra.kind === "AzureMachine";
}

/** Spread over the time between two looks: neither a start nor a roll-out leads to a whole fleet being asked at once. */
function isLookDue(entry: Entry | undefined, everyMs: number, world: World): boolean {
  if (entry === undefined) return true;
  entry.lookAtMs ??= world.monotonicMs() + (0.1 + world.random() * 0.9) * everyMs;
  return world.monotonicMs() >= entry.lookAtMs;
}

interface Moment {
  readonly now: string;
  readonly nowMs: number;
}

function everyMsOf(
  machine: KnownMachine,
  entry: Entry | undefined,
  { caches, now, nowMs }: Moment & { readonly caches: Caches },
): number {
  return nextAskMs({
    verdict: entry?.state?.verdict,
    firstSeen: entry?.state?.firstSeen ?? now,
    hasNode: machine.hasNode,
    capzWaits: infraOf(caches, machine)?.words?.outcome === "waiting",
    ...(entry?.turnedAtMs === undefined
      ? {}
      : { sinceTurnMs: nowMs - entry.turnedAtMs, askedSinceTurn: (entry.askedAtMs ?? -1) >= entry.turnedAtMs }),
    now,
  });
}
