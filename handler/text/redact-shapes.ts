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
    const hidden = hideShape(line, shape);
    if (hidden === line) continue;
    line = hidden;
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

function hideShape(line: string, { kind, pattern, tool }: SecretPattern): string {
  if (tool !== undefined) return hideInCommands(line, { kind, pattern, tool });
  return line.replace(pattern, (whole: string, kept: unknown) => {
    const before = typeof kept === "string" ? kept : "";
    return whole.startsWith("<redacted", before.length) ? whole : before + hide(kind, whole.slice(before.length));
  });
}

/** Not by one expression that looks behind for the tool: it would search the whole command anew for each of its flags. */
function hideInCommands(line: string, { kind, pattern, tool }: Required<SecretPattern>): string {
  let result = "";
  let copied = 0;
  let found: RegExpExecArray | null | undefined;
  for (const { start, end } of commandsOf(line, tool)) {
    if (found === null) break;
    // What was found is behind all that is hidden, also where the commands overlap.
    if (found === undefined || found.index < start) found = searchFrom(line, pattern, start);
    while (found !== null && found.index < end) {
      const secret: number = found.index + (found[1] ?? "").length;
      const next: number = found.index + found[0].length;
      result += line.slice(copied, secret) + hide(kind, line.slice(secret, next));
      copied = next;
      found = searchFrom(line, pattern, next);
    }
  }
  return result + line.slice(copied);
}

function searchFrom(line: string, pattern: RegExp, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  const found = pattern.exec(line);
  pattern.lastIndex = 0;
  return found;
}

/** From a tool's name to its last flag. */
const longestCommand = 401;
const commandEnd = /[|;\n]/g;

interface Command {
  readonly start: number;
  readonly end: number;
}

/** Where the flags of a tool may stand, from left to right; one command may hold the begin of the next. */
function commandsOf(line: string, tool: RegExp): readonly Command[] {
  let stop = -1;
  return Array.from(line.matchAll(tool), ({ index, 0: name }) => {
    const start = index + name.length;
    if (stop < start) stop = searchFrom(line, commandEnd, start)?.index ?? line.length;
    return { start, end: Math.min(stop, start + longestCommand) };
  });
}
