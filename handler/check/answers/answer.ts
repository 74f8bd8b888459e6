import type { Answer, Answers, QuestionName } from "../../../scripts/check/questions.ts";
import { errorText, systemErrorCode } from "../../errors/handler-error.ts";

export type CannotTell = Extract<Answer, { kind: "cannot-tell" }>;

export function known<Name extends QuestionName>(value: Answers[Name]): Answer<Name> {
  return { kind: "known", value };
}

export function cannotTell(why: string): CannotTell {
  return { kind: "cannot-tell", why };
}

export function cannotTellBecause(error: unknown): CannotTell {
  return cannotTell(systemErrorCode(error) ?? errorText(error));
}

/** No such file, or something on the way to it is no folder: both say that it is not there. */
export function isAbsence(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
