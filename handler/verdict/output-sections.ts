import type { OutputTails } from "./outcome.ts";
import { endOfText } from "../text/end-of-text.ts";
import { ours, type ShownText } from "../text/shown-text.ts";

/** `[stdout]` and `[stderr]` as the Custom Script handler writes them, the end of each; none where nothing was printed. */
export function outputSections({ stdout, stderr }: OutputTails, maximum: number): readonly ShownText[] {
  if (`${stdout}${stderr}`.trim() === "") return [];
  return [ours`[stdout]`, endOfText(stdout, maximum), ours`[stderr]`, endOfText(stderr, maximum)];
}
