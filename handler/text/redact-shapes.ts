import { hide } from "./hidden-texts.ts";
import { LineFilter } from "./line-filter.ts";
import type { SecretPattern } from "./redact-commands.ts";
import { mentionsSecret } from "./redact-fields.ts";
import { machinePatterns } from "./redact-machines.ts";
import { secretPatterns } from "./redact-patterns.ts";
import { wordPatterns } from "./redact-words.ts";
import { secretNeeds } from "./secret-needs.ts";

interface Shape extends SecretPattern {
  readonly announces: RegExp | undefined;
}

/** In the order in which they are looked for. */
const shapes: readonly Shape[] = [
  ...secretPatterns.map((one) => ({ ...one, announces: undefined })),
  ...[machinePatterns, wordPatterns].flatMap(({ patterns, announces }) =>
    patterns.map((one) => ({ ...one, announces })),
  ),
];

/** What `secretNeeds` tells of, in its order: the shapes, and the names of fields. */
export const filtered: readonly RegExp[] = [...shapes.map(({ pattern }) => pattern), mentionsSecret];

let filter: LineFilter | undefined;

interface Redacted {
  readonly line: string;
  /** The line may hold the name of a field whose value is secret. */
  readonly mayName: boolean;
}

/**
 * Hides what its own shape, or the words directly around it, tell to be secret. A line is looked at once for what each of the
 * expressions needs, and few of them are run.
 */
export function redactShapes(text: string): Redacted {
  filter ??= new LineFilter(filtered, secretNeeds);
  let line = text;
  let left = filter.candidates(line);
  for (let at = 0; at < left.length; at++) {
    const number = left[at] ?? 0;
    const shape = shapes[number];
    // To search costs less than to replace nothing.
    if (shape === undefined || line.search(shape.pattern) === -1 || shape.announces?.test(text) === false) continue;
    const hidden = hideShape(line, shape);
    if (hidden === line) continue;
    line = hidden;
    // The mark stands there now: other expressions may match.
    left = filter.candidates(line).filter((other) => other > number);
    at = -1;
  }
  return { line, mayName: left.includes(shapes.length) };
}

function hideShape(line: string, { kind, pattern }: SecretPattern): string {
  return line.replace(pattern, (whole: string, kept: unknown) => {
    const before = typeof kept === "string" ? kept : "";
    return before + hide(kind, whole.slice(before.length));
  });
}
