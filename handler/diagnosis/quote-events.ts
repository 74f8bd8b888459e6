import { show, type Shown } from "../text/shown-text.ts";
import type { EvidenceLine } from "./diagnosis.ts";
import type { LineEvent } from "./line-event.ts";

const mostEvidence = 4;

/** The last lines that show a finding, each once. */
export function quoteEvents(events: readonly LineEvent[]): readonly Shown<EvidenceLine>[] {
  const shown = new Map<string, Shown<EvidenceLine>>();
  for (const { source, origin, line, fileLine, text } of events) {
    shown.set(`${origin}:${line}`, { source, origin: show(origin), line: fileLine, text });
  }
  return [...shown.values()].slice(-mostEvidence);
}
