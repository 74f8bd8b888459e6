import { nextAskMs } from "../arm/cadence.ts";
import type { ArmTarget } from "../arm/target.ts";
import { keyOfNamed } from "../objects/objects.ts";
import type { World } from "../world.ts";
import type { Book } from "./book.ts";
import { placeOf, watchedMachine, type Caches, type Watched } from "./caches.ts";

/** One question to Azure, with the machines of which its answer tells. */
export interface Question {
  readonly target: ArmTarget;
  /** By resource id, lower case. */
  readonly machines: Map<string, Watched>;
  everyMs: number;
}

/** What is not settled, by what is asked: a VM, or all instances of a scale set in one question. */
export function openQuestions({
  caches,
  book,
  world,
}: {
  readonly caches: Caches;
  readonly book: Book;
  readonly world: World;
}): Map<string, Question> {
  const questions = new Map<string, Question>();
  const now = world.now();
  for (const machine of caches.machines.values()) {
    const state = book.get(machine.uid)?.state;
    const { hasNode } = machine;
    const everyMs = nextAskMs({ verdict: state?.verdict, firstSeen: state?.firstSeen ?? now, hasNode, now });
    if (everyMs === undefined || machine.deleting) continue;
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
