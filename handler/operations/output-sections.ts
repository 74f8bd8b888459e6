import type { OutputTails } from "../check/outcome.ts";
import { endOfText } from "../text/end-of-text.ts";

/** `[stdout]` and `[stderr]` as the Custom Script handler writes them, the end of each; a stream without text has no section. */
export function outputSections(output: OutputTails, maximum: number): readonly string[] {
  return [
    ...(output.stdout.trim() === "" ? [] : ["[stdout]", endOfText(output.stdout, maximum)]),
    ...(output.stderr.trim() === "" ? [] : ["[stderr]", endOfText(output.stderr, maximum)]),
  ];
}
