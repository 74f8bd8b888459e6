import type { OutputTails } from "./outcome.ts";
import type { ShownText } from "../text/shown-text.ts";
import { outputSections } from "./output-sections.ts";
import { bodyOf, type VerdictBody } from "./verdict-body.ts";
import { headOf, type VerdictHead } from "./verdict-head.ts";
import type { Verdict } from "./verdict.ts";

/**
 * All that a verdict says, said once: cleaned, redacted and bounded. The status, its substatuses, the report, the console line, the
 * log and the events take their words from here, so that no two of them differ.
 */
export interface VerdictWords extends VerdictHead, VerdictBody {
  /** The ends of what the check or the command printed. */
  readonly output: OutputTails | undefined;
}

export function wordsOf(verdict: Verdict): VerdictWords {
  const { end } = verdict;
  const head = headOf(verdict);
  const output = end.kind === "not-checked" || end.kind === "reported" ? undefined : end.output;
  return { ...head, ...bodyOf(verdict, head), output };
}

/** Characters of each output stream: as much as was read of it, 4,096 bytes and the mark of the cut. */
export const longestTail = 4200;

/**
 * What stands below the first line, for a person who reads the whole message. The output is last, so that who parses it gets nothing of
 * ours. `tailLimit`: characters of each output stream.
 */
export function linesBelow({ body, output }: VerdictWords, tailLimit: number): readonly ShownText[] {
  return [...body, ...(output === undefined ? [] : outputSections(output, tailLimit))];
}
