import { readableText } from "../../../handler/text/outside-text.ts";

/**
 * What `show` makes of a whole text, made each time: `show` keeps the last short ones, so that a test would see what a mutant
 * made of one when the mutant is gone (scripts/dev/mutants).
 */
export function show(text: string): string {
  return readableText(text, {});
}
