import { hide } from "./hidden-texts.ts";
import { LineFilter, readNeed } from "./line-filter.ts";
import type { SecretPattern } from "./redact-commands.ts";
import { mentionsSecret } from "./redact-fields.ts";
import { commandWordPatterns, toolPatterns } from "./redact-flags.ts";
import { formPatterns } from "./redact-forms.ts";
import { machinePatterns } from "./redact-machines.ts";
import { secretPatterns } from "./redact-patterns.ts";
import { wordPatterns } from "./redact-words.ts";
import { secretNeeds } from "./secret-needs.ts";

interface Group {
  readonly patterns: readonly SecretPattern[];
  readonly announces?: RegExp;
}

/** In the order in which they are looked for. */
const groups: readonly Group[] = [
  toolPatterns,
  { patterns: secretPatterns },
  machinePatterns,
  wordPatterns,
  commandWordPatterns,
  formPatterns,
];

/** What `secretNeeds` tells of, in its order: the shapes, and the names of fields. */
export const filtered: readonly RegExp[] = [
  ...groups.flatMap(({ patterns }) => patterns.map(({ pattern }) => pattern)),
  mentionsSecret,
];

/**
 * The filter costs some 10 ms and megabytes to make, more than it saves for the lines of a status: it is made where much is to
 * be redacted, a long text or many short ones.
 */
const longText = 16 * 1024;
const manyTexts = 256 * 1024;
let redacted = 0;
let filter: Filter | undefined;

interface Filter {
  readonly may: LineFilter;
  /** By number of the filter. */
  readonly shapes: readonly (SecretPattern & { readonly group: Group })[];
}

function makeFilter(): Filter {
  const shapes = groups.flatMap((group) => group.patterns.map((one) => ({ ...one, group })));
  return { may: new LineFilter(filtered, secretNeeds.map(readNeed)), shapes };
}

/** To be called before a text of this length is redacted line by line. */
export function expectText(length: number): void {
  redacted += length;
  if (length >= longText || redacted >= manyTexts) filter ??= makeFilter();
}

interface Redacted {
  readonly line: string;
  /** The line may hold the name of a field whose value is secret. */
  readonly mayName: boolean;
}

/** Hides what its own shape, or the words directly around it, tell to be secret. */
export function redactShapes(text: string): Redacted {
  if (filter !== undefined) return redactFiltered(text, filter);
  let line = text;
  for (const { patterns, announces } of groups) {
    if (announces?.test(text) === false) continue;
    for (const shape of patterns) line = hideShape(line, shape);
  }
  return { line, mayName: true };
}

/** The same result: the line is looked at once for what each of the expressions needs, and few of them are run. */
function redactFiltered(text: string, { may, shapes }: Filter): Redacted {
  const announced = new Map<Group, boolean>();
  let line = text;
  let left = may.candidates(line);
  for (let at = 0; at < left.length; at++) {
    const number = left[at] ?? 0;
    const shape = shapes[number];
    // Each expression of a tool names it itself.
    if (shape === undefined || (shape.group !== toolPatterns && !isAnnounced(text, shape.group, announced))) continue;
    // To search costs less than to replace nothing.
    if (line.search(shape.pattern) === -1) continue;
    line = hideShape(line, shape);
    // The mark stands there now: other expressions may match.
    left = may.candidates(line).filter((other) => other > number);
    at = -1;
  }
  return { line, mayName: left.includes(shapes.length) };
}

function isAnnounced(text: string, group: Group, known: Map<Group, boolean>): boolean {
  const announced = known.get(group) ?? group.announces?.test(text) !== false;
  known.set(group, announced);
  return announced;
}

function hideShape(line: string, { kind, pattern }: SecretPattern): string {
  return line.replace(pattern, (whole: string, kept: unknown) => {
    const before = typeof kept === "string" ? kept : "";
    return whole.startsWith("<redacted", before.length) ? whole : before + hide(kind, whole.slice(before.length));
  });
}
