import { requiredLiterals } from "./literals.ts";
import { ruleLimits, type ShippedPattern } from "./rule.ts";

/** The texts to search for a pattern: those of its best term. Empty when no term has any that is long enough. */
export function bestLiterals(terms: ShippedPattern): readonly string[] {
  let best: readonly string[] = [];
  let bestLength = 0;
  for (const { source } of terms) {
    const texts = requiredLiterals(source);
    const shortest = texts.length === 0 ? 0 : Math.min(...texts.map((literal) => literal.length));
    if (shortest >= ruleLimits.literalLength && shortest > bestLength) [best, bestLength] = [texts, shortest];
  }
  return best;
}
