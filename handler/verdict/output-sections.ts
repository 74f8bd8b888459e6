import type { OutputTails } from "./outcome.ts";
import { endOfText } from "../text/end-of-text.ts";
import { ours, type ShownText } from "../text/shown-text.ts";

/** `[stdout]` and `[stderr]` as the Custom Script handler writes them, the end of each; a stream without text has no section. */
export function outputSections(output: OutputTails, maximum: number): readonly ShownText[] {
  return [
    ...(output.stdout.trim() === "" ? [] : [ours`[stdout]`, endOfText(output.stdout, maximum)]),
    ...(output.stderr.trim() === "" ? [] : [ours`[stderr]`, endOfText(output.stderr, maximum)]),
  ];
}
