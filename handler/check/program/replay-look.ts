import type { LookContext, LookRecord, Observation } from "../../../scripts/check/look.ts";
import type { Answer, Question } from "../../../scripts/check/questions.ts";
import type { Host } from "../../host.ts";
import { isJsonObject, type JsonObject } from "../../text/parse-json.ts";
import { cannotTell } from "../answers/answer.ts";
import type { CheckProgram } from "./load-program.ts";
import { memoryOf } from "./parse-look-result.ts";
import { parseQuestion } from "./parse-question.ts";
import { runLook, type LookEnd } from "./run-look.ts";

const replayLimitMs = 60_000;

/** Lets a check judge again what a look of the past saw; nothing is asked of this machine. */
export async function replayLook(
  host: Pick<Host, "sleep">,
  program: CheckProgram,
  record: Pick<LookRecord, "context" | "observations">,
): Promise<LookEnd> {
  const answer = answerFromRecord(record.observations);
  return runLook({
    host,
    program,
    context: record.context,
    answer: (question) => Promise.resolve(answer(question)),
    limitMs: replayLimitMs,
    signal: new AbortController().signal,
  });
}

/** A question that was asked twice gets its answers in their order; one that was never asked has none. */
function answerFromRecord(observations: readonly Observation[]): (question: Question) => Answer {
  const byQuestion = Map.groupBy(observations, ({ question }) => keyOf(question));
  return (question) => {
    const given = byQuestion.get(keyOf(question));
    const next = given !== undefined && given.length > 1 ? given.shift() : given?.[0];
    return next?.answer ?? cannotTell("the record does not hold this question");
  };
}

/** Those of the record and those of the check are parsed, which gives their fields one order. */
function keyOf(question: Question): string {
  return JSON.stringify(question);
}

/** observations.json, or the output of `capz-bootstrap check --json`, which holds one. Undefined for anything else. */
export function parseRecord(value: unknown): Pick<LookRecord, "context" | "observations"> | undefined {
  if (!isJsonObject(value)) return undefined;
  const { context, observations } = isJsonObject(value["record"]) ? value["record"] : value;
  const known = parseContext(context);
  if (known === undefined || !Array.isArray(observations)) return undefined;
  const parsed = observations.map(parseObservation);
  return parsed.every((one) => one !== undefined) ? { context: known, observations: parsed } : undefined;
}

function parseContext(value: unknown): LookContext | undefined {
  if (!isJsonObject(value)) return undefined;
  const { system, provider, elapsedMs, timeoutMs, memory } = value;
  if (system !== "linux" && system !== "windows") return undefined;
  if (typeof provider !== "string" || typeof elapsedMs !== "number" || typeof timeoutMs !== "number") return undefined;
  return { system, provider, elapsedMs, timeoutMs, memory: memoryOf(memory) };
}

function parseObservation(value: unknown): Observation | undefined {
  if (!isJsonObject(value)) return undefined;
  const question = parseQuestion(value["question"]);
  const { answer } = value;
  if (question === undefined || !isAnswer(answer)) return undefined;
  return { question, answer };
}

/** The value itself is the check's to doubt, as on a machine. */
function isAnswer(value: unknown): value is Answer {
  if (!isJsonObject(value)) return false;
  const { kind, why }: JsonObject = value;
  return (kind === "known" && "value" in value) || (kind === "cannot-tell" && typeof why === "string");
}
