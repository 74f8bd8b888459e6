import { withoutMark } from "./commented.ts";
import { cleanText } from "../text/clean-text.ts";
import { isStackTraceAdvice } from "./advice.ts";
import { errorWeight } from "./error-lines.ts";
import type { CandidateLine, LineBefore } from "./line-scanner.ts";
import { FailingLines, type FailingLine } from "./reading/failing-lines.ts";

/** Characters of a line that are kept as evidence. */
export const keptText = 600;
/** Bytes of a failing line that are kept: its innermost error stands at its end. */
const keptBytes = 2048;

/** The failing lines of one log, and what a command said last before it ended. */
export class ErrorKeeper {
  readonly #lines = new FailingLines();

  keep({ bytes, line, cut, before }: CandidateLine): void {
    const text = textOf(bytes);
    if (ignored.test(withoutMark(text))) this.#lines.forgetLine(line - 1);
    if (endsWhatWasSaid(text)) this.#keepLastWords(before());
    const weight = isCloudInitChatter(text) ? undefined : errorWeight(text);
    if (weight === undefined) return;
    this.#lines.add(weight, text, { bytes: Buffer.from(bytes.subarray(0, keptBytes)), line, cut });
  }

  /** What stands in such ranges is said by the lines that were put together from them. */
  forgetWithin(ranges: readonly { readonly from: number; readonly to: number }[]): void {
    this.#lines.forgetWithin(ranges);
  }

  all(): readonly FailingLine[] {
    return this.#lines.all();
  }

  /** Whatever its form: the program ended with it. */
  #keepLastWords(said: LineBefore | undefined): void {
    if (said === undefined) return;
    const { bytes: before, line } = said;
    const text = textOf(before);
    if (text.trim() === "" || errorWeight(text) !== undefined) return;
    const bytes = Buffer.from(before.subarray(0, keptBytes));
    this.#lines.add(2, text, { bytes, line, cut: { start: false, end: before.length > keptBytes } });
  }
}

/** Ansible goes on in spite of the task that failed in the line before. */
const ignored = /^(?:> )?\.\.\.ignoring$/u;

function textOf(bytes: Buffer): string {
  return cleanText(bytes.subarray(0, keptText).toString("utf8").trimEnd());
}

/** A command that ended after the line before this one, which is the last that it said. */
function endsWhatWasSaid(text: string): boolean {
  return text.includes("Failed running /var/lib/cloud") || isStackTraceAdvice(text);
}

/** cloud-init's debug lines speak of what it tries and skips: never the decisive error, unless they say how a step ended. */
function isCloudInitChatter(text: string): boolean {
  return text.includes(".py[DEBUG]:") && !/: (?:SUCCESS|FAIL)\b/u.test(text);
}
