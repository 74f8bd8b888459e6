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
