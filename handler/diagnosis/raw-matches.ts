import type { LineRange } from "./unwrap.ts";
import type { CutEdges } from "../text/shown-text.ts";

export interface RawLine {
  readonly bytes: Buffer;
  readonly line: number;
  readonly cut: CutEdges;
}

/** A match whose line is shown, which takes time, only when it is kept to the end. */
export interface RawEvent {
  readonly raw: RawLine;
  readonly text: string;
  readonly pattern: number;
  readonly groups: Readonly<Record<string, string>>;
}

export interface RawMatches {
  count: number;
  readonly first: RawEvent[];
  readonly last: RawEvent[];
}

/** What a tool lists as got over, no rule needs to know. */
export function leaveOut(matches: Map<number, RawMatches>, ranges: readonly LineRange[]): void {
  const isLeft = ({ raw }: RawEvent): boolean => ranges.every(({ from, to }) => raw.line < from || raw.line > to);
  for (const [pattern, { count, first, last }] of matches) {
    const left = first.filter(isLeft);
    if (left.length === first.length) continue;
    if (left.length === 0) matches.delete(pattern);
    else matches.set(pattern, { count, first: left, last: last.filter(isLeft) });
  }
}
