import { show, type Shown, type ShownText } from "../text/shown-text.ts";
import type { EvidenceLine } from "./diagnosis.ts";
import type { ErrorLine } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";

const mostEvidence = 4;

/** The last lines that show a finding, each once. */
export function quoteEvents(
  events: readonly LineEvent[],
  errorLines: readonly ErrorLine[],
): readonly Shown<EvidenceLine>[] {
  const shown = new Map<string, Shown<EvidenceLine>>();
  for (const event of events) {
    const { source, origin, line, fileLine } = event;
    shown.set(`${origin}:${line}`, { source, origin: show(origin), line: fileLine, text: wholeOf(event, errorLines) });
  }
  return [...shown.values()].slice(-mostEvidence);
}

/** With what was broken off from it and put back, where a pattern had found what it knows in a first piece that is left open. */
function wholeOf({ originIndex, line, text }: LineEvent, errorLines: readonly ErrorLine[]): ShownText {
  if (!text.trim().endsWith(":")) return text;
  const whole = errorLines.find(
    (error) =>
      error.originIndex === originIndex &&
      error.line === line &&
      error.text.length > text.length &&
      error.text.startsWith(text.trim()),
  );
  return whole?.text ?? text;
}
