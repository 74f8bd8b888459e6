import { keepFact } from "../text/said.ts";
import { showLine } from "../text/shown-text.ts";
import type { LineEvent } from "./line-event.ts";
import { readStatement } from "./reading/statement.ts";

/** As much as a value of a sentence may have. */
const longestStatement = 118;

/** What a reading quotes begins at a statement, and never in the midst of a word. */
export function withStatements(ruleId: string, events: readonly LineEvent[]): readonly LineEvent[] {
  return ruleId.startsWith("reading-") ? events.map(withStatement) : events;
}

function withStatement(event: LineEvent): LineEvent {
  const { message } = readStatement(event.text, event.source);
  if (event.groups["said"] === undefined || message === "") return event;
  return { ...event, groups: { ...event.groups, said: keepFact(showLine(message), longestStatement) } };
}
