import type { LineEvent, OriginMatches } from "./line-event.ts";
import type { Matches } from "./match.ts";

/** First and last lines of each pattern and log. */
export function eventsOf(patterns: readonly number[], matches: Matches): readonly LineEvent[] {
  return patterns.flatMap((pattern) => (matches.byPattern[pattern] ?? []).flatMap(firstAndLast));
}

/** Each once, where a log has few of them. */
export function firstAndLast({ first, last }: OriginMatches): readonly LineEvent[] {
  return [...new Set([...first, ...last])];
}
