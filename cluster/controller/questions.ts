import { nextAskMs, settledMs } from "../arm/cadence.ts";
import type { ArmTarget } from "../arm/target.ts";
import { keyOfNamed, type KnownMachine } from "../objects/objects.ts";
import type { World } from "../world.ts";
import type { Book, Entry } from "./book.ts";
import { infraOf, placeOf, watchedMachine, type Caches, type Watched } from "./caches.ts";

const never = Number.NEGATIVE_INFINITY;

/** One question to Azure, with the machines of which its answer tells. */
export interface Question {
  readonly target: ArmTarget;
  /** By resource id, lower case. */
  readonly machines: Map<string, Watched>;
  everyMs: number;
  /** Monotonic time at which CAPZ last turned the condition of one of the machines: what was asked before it is out of date. */
  turnedAtMs: number;
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
    if (machine.deleting) continue;
    const everyMs = everyMsOf(machine, entry, { caches, ...moment });
    if (everyMs >= settledMs && machine.infra.kind === "AzureMachine" && !isLookDue(entry, everyMs, world)) continue;
    const watched = watchedMachine(caches, keyOfNamed(machine));
    const place = watched === undefined ? undefined : placeOf(caches, machine);
    if (watched === undefined || place === undefined) continue;
    const fresh = { target: place.target, machines: new Map(), everyMs, turnedAtMs: never };
    const question = questions.get(place.target.id) ?? fresh;
    question.machines.set(place.id, watched);
    question.everyMs = Math.min(question.everyMs, everyMs);
    question.turnedAtMs = Math.max(question.turnedAtMs, entry?.turnedAtMs ?? never);
    questions.set(place.target.id, question);
  }
  return questions;
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
    sinceTurnMs: entry?.turnedAtMs === undefined ? undefined : nowMs - entry.turnedAtMs,
    now,
  });
}
