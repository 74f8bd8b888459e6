import type { Answer, Answers, QuestionName } from "../../scripts/check/questions.ts";
import { shuffled } from "./random.ts";

/** The same answer with its names, keys and rows in another order. */
export function inAnotherOrder(answer: Answer, random: () => number): Answer {
  if (answer.kind !== "known" || typeof answer.value !== "object") return answer;
  return { kind: "known", value: turned(answer.value, random) as Answers[QuestionName] };
}

function turned(value: object, random: () => number): unknown {
  if (Array.isArray(value)) return shuffled(value as readonly unknown[], random);
  if ("names" in value && Array.isArray(value.names))
    return { ...value, names: shuffled(value.names as readonly string[], random) };
  return Object.fromEntries(shuffled(Object.entries(value), random));
}
