import type { JoinedLine } from "./unwrap.ts";

const mostLines = 24;
/**
 * A long message in single quotes, as `kubectl get -o yaml` prints it. Of these keys alone, whose names the value does without: under another
 * one it may be a secret, and the name is what tells.
 */
const opening =
  /^(?<indent>\s{0,40})(?:- )?(?:message|msg|error|err|stderr|stdout|detail|reason|output|log|failureMessage|lastError): '(?<text>.*)$/u;
/** The quote that closes it is not doubled. */
const closing = /^(?<text>(?:[^']|'')*)'\s*$/u;

/** What YAML folded at its width, and whose quotes it doubled, as the value was. */
export function foldedScalar(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const begun = opening.exec(line)?.groups;
  if (begun === undefined) return undefined;
  const indent = (begun["indent"] ?? "").length;
  let text = begun["text"] ?? "";
  for (let count = 0; count < mostLines; count++) {
    const whole = closing.exec(text)?.groups?.["text"];
    if (whole !== undefined)
      return { from: at + 1, to: at + 1 + count, text: whole.replaceAll("''", "'"), certain: true };
    const next = lines[at + 1 + count] ?? "";
    // An empty line is a line's end within the value.
    if (next.trim() !== "" && next.search(/\S/u) <= indent) return undefined;
    text = `${text} ${next.trim()}`;
  }
  return undefined;
}
