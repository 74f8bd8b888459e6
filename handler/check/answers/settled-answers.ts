import type { Answer, Answers, Question } from "../../../scripts/check/questions.ts";
import { plugins, provisioning } from "./ask-ahead.ts";

/** What has settled stands for so long, while nothing changes. */
const settledMs = 120_000;
/** An answer has settled when it was given twice, so far apart, and nothing has changed in between. */
const apartMs = 4000;

export interface SettledAnswers {
  answer(question: Question, ask: () => Promise<Answer>): Promise<Answer>;
  beginLook(): void;
  /** True when a settled answer was given since the beginning of the look. */
  wasUsed(): boolean;
  /** Something has changed: what has settled may not be so any more. */
  forget(): void;
}

/**
 * What a wait asks of Windows' programs at every look, and what changes with a file that is looked at as well: whoever installs
 * cloudbase-init, and cloudbase-init itself before it writes to its keys, writes to its log. A start of a program costs more than the rest of
 * a look, so while the files stay as they are, such an answer need not be had again. No verdict is made of it: program-looker.ts.
 */
export function createSettled(host: { monotonicMs(): number }): SettledAnswers {
  const answers = new Map<
    string,
    { readonly answer: Answer; readonly sinceMs: number; readonly settledAtMs?: number }
  >();
  let used = false;
  let changes = 0;

  function note(key: string, answer: Answer, atMs: number): void {
    const earlier = answers.get(key);
    const isSame = JSON.stringify(earlier?.answer) === JSON.stringify(answer);
    const sinceMs = isSame && earlier !== undefined ? earlier.sinceMs : atMs;
    answers.set(key, { answer, sinceMs, ...(atMs - sinceMs >= apartMs && { settledAtMs: atMs }) });
  }

  return {
    async answer(question, ask) {
      const key = JSON.stringify(question);
      const atMs = host.monotonicMs();
      const earlier = answers.get(key);
      if (earlier?.settledAtMs !== undefined && atMs - earlier.settledAtMs < settledMs) {
        used = true;
        return earlier.answer;
      }
      const asked = changes;
      const answer = await ask();
      if (!maySettle(question, answer)) answers.delete(key);
      else if (asked === changes) note(key, answer, atMs);
      return answer;
    },
    beginLook() {
      used = false;
    },
    wasUsed: () => used,
    forget() {
      changes += 1;
      answers.clear();
    },
  };
}

/** A service that is there may start or end without a word; what it says of itself in the registry has a line in its log. */
function maySettle(question: Question, answer: Answer): boolean {
  if (answer.kind !== "known") return false;
  if (question.ask === "registry") return `${question.key}\\`.startsWith(`${plugins}\\`);
  if (question.ask !== "services" || question.names.some((name) => name !== provisioning)) return false;
  return Object.values(answer.value as Answers["services"]).every(({ kind }) => kind === "missing");
}
