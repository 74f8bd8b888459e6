import { unescapeText } from "./unescape-text.ts";

/** What a line says besides what it spells: to who runs its commands in the head. What is secret there is secret in the line. */
export function readingsOf(line: string): readonly string[] {
  return [...listsOf(line), ...printedBy(line), ...replacedBy(line), ...pipedBy(line)];
}

const listWithFlag = /[\w./-]["']?,\s{0,4}["']?-\w|\ba\d{1,3}="-/;

/** A list of words (["curl", "-u", "name:…"], a0="curl" a1="-u") as a command. */
function listsOf(line: string): readonly string[] {
  if (!listWithFlag.test(line)) return [];
  return [line.replaceAll(/["']?,\s{0,4}["']?|["']\s{1,4}a\d{1,3}=["']|[[\]"']/g, " ")];
}

/** Fields, elements and parameters in which a log keeps lines of others, each with a sign without which there is none. */
const insides: readonly (readonly [sign: RegExp, pattern: RegExp])[] = [
  [
    /[:=] ?\\?"/,
    /(?<![\w-])(?:log|msg|message|std_?out|std_?err|output|err|error|text|line|content)\\?"?\s?[:=]\s?\\?"((?:[^"\\]|\\.){8,})/gi,
  ],
  [/<\//, /<(?:\w{1,20}:)?(?:message|data|line|text|output|stdout|stderr)(?: [^<>]{0,200})?>([^<]{8,})/gi],
  [/%[01]/, /[?&][\w.-]{1,40}=([^\s&"'<>]{0,64}%[01][AD9][^\s&"'<>]+)/gi],
];

/** What stands within a quoted field, an element or a parameter, as lines of its own: many secrets are told by standing first or last. */
export function insidesOf(line: string): readonly string[] {
  return insides.flatMap(([sign, pattern]) =>
    sign.test(line) ? Array.from(line.matchAll(pattern), ([, inside = ""]) => unescapeText(inside)) : [],
  );
}

const printf =
  /\bprintf\s{1,4}(?:--\s{1,4})?(["'])((?:(?!\1)[^\n]){1,400})\1((?:\s{1,4}(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|[^\s"'|;&<>]{1,400})){1,16})/g;
const argument = /"([^"]*)"|'([^']*)'|(\S+)/g;

/** printf 'token: %s\n' … */
function printedBy(line: string): readonly string[] {
  if (!line.includes("printf") || !line.includes("%s")) return [];
  return Array.from(line.matchAll(printf), ([, , format = "", given = ""]) => {
    const values = Array.from(given.matchAll(argument), ([, double, single, bare]) => double ?? single ?? bare ?? "");
    return format.replaceAll("%s", () => values.shift() ?? "").replaceAll("\\n", "\n");
  });
}

/** sed 's|@@TOKEN@@|…|', perl -pe 's/changeme/…/', -replace '__PASSWORD__', '…' */
const replacements =
  /(?<![\w\\])s([/|#,:@!~])([^\n]{1,120}?)\1([^\n]{1,400}?)\1|(?:-replace\s{1,4}|\.[Rr]eplace\(\s{0,4})["']([^"'\n]{1,120})["']\s{0,4},\s{0,4}["']([^"'\n]{1,400})["']/g;
const mayReplace = /\b(?:sed|perl)\b|replace/i;

/** What is filled in behind the name in whose place it comes, and by itself. */
function replacedBy(line: string): readonly string[] {
  if (!mayReplace.test(line)) return [];
  return Array.from(line.matchAll(replacements), ([, , old = "", by = "", word = old, value = by]) => {
    const name = word
      .replace(/change.?(?:me|it)|replace.?(?:me|it)/i, "password")
      .replaceAll(/[^\w.-]+|\.\*/g, " ")
      .trim();
    return `${name.replaceAll(" ", "_")}=${value}\n${value}`;
  });
}

const piped = /\(([^()\n]{1,400})\)\s{0,4}(\|[^\n]{1,200})/g;

/** (echo …; echo …) | smbpasswd */
function pipedBy(line: string): readonly string[] {
  if (!line.includes("echo") || !line.includes("|")) return [];
  return Array.from(line.matchAll(piped), ([, commands = "", into = ""]) =>
    commands
      .split(";")
      .map((command) => `${command} ${into}`)
      .join("\n"),
  );
}

const tracedPrint = /^\++ (?:echo|printf) /;
const tracedReader =
  /^\++ (?:sudo (?:-\S+ )?)?(?:\/\S{1,40}\/)?(?:(?:ch|smb)?passwd|kinit|cryptsetup|realm|docker login|podman login|helm registry login|crane auth|gh auth|adcli|sudo -\w{0,4}S)\b/;

/** A shell traces the two sides of a pipe on lines of their own, in either order: the line as the command that was typed. */
export function typedPipes(lines: readonly string[]): ReadonlyMap<number, string> {
  const typed = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    if (line.length > 1000 || !tracedPrint.test(line)) continue;
    const reader = [lines[at + 1], lines[at - 1]].find((other) => other !== undefined && tracedReader.test(other));
    if (reader !== undefined) typed.set(at, `${line} | ${reader.replace(/^\++ /, "").slice(0, 200)}`);
  }
  return typed;
}

/** Of terminals and of PowerShell's messages, which end a line in mid word. */
const widths = new Set([72, 76, 78, 79, 80, 99, 100, 119, 120, 127, 128, 131, 132, 159, 160]);
const leastWidth = 60;
const mostWidth = 200;
const mostWrapped = 100;

export interface WrappedLine {
  readonly first: number;
  readonly width: number;
  /** Of so many lines. */
  readonly count: number;
  /** As it was before it was wrapped. */
  readonly text: string;
}

/** Lines that are one, broken at a fixed width. */
export function wrappedLines(lines: readonly string[]): readonly WrappedLine[] {
  const found: WrappedLine[] = [];
  for (let first = 0; first + 1 < lines.length; first++) {
    const width = lines[first]?.length ?? 0;
    if (width < leastWidth || width > mostWidth) continue;
    let count = 1;
    while (count < mostWrapped && goesOn(lines, first + count, width)) count++;
    if (count < 2 || (count === 2 && !widths.has(width))) continue;
    found.push({ first, width, count, text: lines.slice(first, first + count).join("") });
    first += count - 1;
  }
  return found;
}

/** The line before it is full, and a word goes on in this one. */
function goesOn(lines: readonly string[], at: number, width: number): boolean {
  const before = lines[at - 1];
  const line = lines[at];
  if (before?.length !== width || line === undefined || line.length > width) return false;
  return /\S$/.test(before) && !beginsLine.test(line) && restOfWord.test(line);
}

/** Times, marks of klog, names of programs. */
const beginsLine = /^(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [ \d]\d |[EWIF]\d{4} |[\w.-]{1,48}\[\d{1,10}\]:)/;
/** What no sentence begins with. */
const restOfWord = /^[^\s:]*(?:\d|[a-z][A-Z]|[A-Z]{2})/;
