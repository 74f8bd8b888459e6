import { cleanTextWithSeams } from "./clean-text.ts";
import { redact } from "./redact-views.ts";

/** Which ends of a text are not the ends of its line: half a secret is not recognised, so the half word there goes. */
export interface CutEdges {
  readonly start?: boolean;
  readonly end?: boolean;
}

const edgeMark = "…";

/** Text from outside, cleaned and then redacted. What shown-text.ts alone calls; a part that is loaded by the first such text. */
export function readableText(text: string, edges: CutEdges): string {
  return redact(withoutHalfWords(cleanTextWithSeams(text), edges));
}

function withoutHalfWords(text: string, { start = false, end = false }: CutEdges): string {
  const kept = start ? behindFirst(text) : text;
  return end ? `${kept.slice(0, lastBlank(kept))}${edgeMark}` : kept;
}

/** What follows the first line end; in a single line, what follows the first blank, marked. */
function behindFirst(text: string): string {
  const lineEnd = text.indexOf("\n");
  if (lineEnd !== -1) return text.slice(lineEnd + 1);
  const blank = text.search(/\s/);
  return blank === -1 ? edgeMark : `${edgeMark}${text.slice(blank)}`;
}

function lastBlank(text: string): number {
  for (let at = text.length; at > 0; at--) if (/\s/.test(text.charAt(at - 1))) return at;
  return 0;
}
