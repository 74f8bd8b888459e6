import { hide } from "./hidden-texts.ts";
import { looksMade } from "./looks-made.ts";
import { isPlainUnder } from "./plain-values.ts";
import { mentionsSecret } from "./redact-fields.ts";
import { secretKindOfName } from "./redact-names.ts";
import { mentionsForeignSecret } from "./redact-words.ts";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A table whose head says that a column, or a row, holds secrets. */
interface Table {
  readonly names: readonly string[];
  /** So many lines of the table stand in front of its rows. */
  readonly headLines: 1 | 2;
  /** The cells of a row; undefined for a line that is none. */
  readonly cellsOf: (line: string) => readonly Span[] | undefined;
}

const longestHead = 600;
const longestRow = 4000;
const longestTable = 1000;
/** Nobody reads a table with more columns: its rows are hidden whole, so that no row costs the product of its columns and its length. */
const mostColumns = 40;
const mayHead = /value|setting|record/i;

/** Hides in tables what their heads tell to be secret: what a database, `kubectl`, `az` or PowerShell prints, a list of accounts. */
export function hideTables(all: readonly string[], prefixOf: (line: string) => string): readonly string[] {
  // Each row of a log has its time in front.
  const prefixes = all.map((line) => (line.length < longestRow ? prefixOf(line) : ""));
  const lines = all.map((line, at) => line.slice(prefixes[at]?.length));
  const shown = [...all];
  for (let at = 0; at + 1 < lines.length; at++) {
    const table = tableAt(lines, at);
    if (table === undefined) continue;
    at += table.headLines;
    for (let row = 0; row < longestTable && at < lines.length; row++, at++) {
      const line = lines[at] ?? "";
      const cells = line.length < longestRow ? table.cellsOf(line) : undefined;
      if (cells === undefined && !isRule(line)) break;
      if (cells !== undefined) shown[at] = `${prefixes[at] ?? ""}${hideRow(line, cells, table.names)}`;
    }
    // What ends this table may be the head of the next one.
    at--;
  }
  return shown;
}

function tableAt(lines: readonly string[], at: number): Table | undefined {
  const head = lines[at] ?? "";
  if (!mayBeHead(head)) return undefined;
  const below = lines[at + 1] ?? "";
  if (/^-\[ RECORD \d{1,6} \][+-]*\s*$/.test(head)) return recordTable;
  const table = barTable(head, below) ?? ruledTable(head, below) ?? separatedTable(head) ?? spacedTable(head);
  return table !== undefined && tellsSecrets(table.names) ? table : undefined;
}

function mayBeHead(line: string): boolean {
  if (line.length < 3 || line.length > longestHead) return false;
  return mentionsSecret.test(line) || mayHead.test(line) || mentionsForeignSecret(line);
}

function tellsSecrets(names: readonly string[]): boolean {
  return names.some((name) => secretKindOfName(name) !== undefined) || valueColumn(names) !== undefined;
}

const ruleLine = /^[\s+|:=├┼┤╞╪╡┠╂┨┣╋┫└┴┘╰╯─━═-]{3,}$/;

/** What only draws a line. */
function isRule(line: string): boolean {
  return line.length < longestHead && ruleLine.test(line) && /--|──|━━|══|==/.test(line);
}

const bar = /[|\u2502\u2503]/;

/** Cells between bars, with a line drawn below the head, or a head that cannot be a row: "| name | value |" has the name first. */
function barTable(head: string, below: string): Table | undefined {
  const sign = bar.exec(head)?.[0];
  if (sign === undefined) return undefined;
  const cells = spansBetween(head, sign);
  const names = cells.map(({ start, end }) => head.slice(start, end).trim());
  if (!names.every((name) => /^[\w .()/-]{0,60}$/.test(name))) return undefined;
  if (!isRule(below) && !isBareHead(head, names)) return undefined;
  return { names, headLines: 1, cellsOf: (line) => sameCount(spansBetween(line, sign), names.length) };
}

function isBareHead(head: string, names: readonly string[]): boolean {
  if (/^\w[\w.-]{0,40}(?:\|\w[\w.-]{0,40}){1,30}\s?$/.test(head)) return true;
  const [edge, first = "", ...others] = names;
  if (edge !== "" || secretKindOfName(first) !== undefined) return false;
  return [first, ...others].every((name) => /^(?:[a-z_][\w-]*)?$/i.test(name));
}

/** `password | …` of a database's table that is turned. */
const recordTable: Table = {
  names: ["name", "value"],
  headLines: 1,
  cellsOf: (line) => sameCount(spansBetween(line, "|"), 2),
};

/** Cells between tabs, commas or semicolons; one that holds a blank or a sign is no column's name. */
const separated = /^["']?[\w.-]{1,40}["']?([\t,;])["']?[\w.-]{1,40}["']?(?:\1["']?[\w.-]{1,40}["']?){0,30}\s?$/;

function separatedTable(head: string): Table | undefined {
  const sign = separated.exec(head)?.[1];
  if (sign === undefined) return undefined;
  const names = head.split(sign).map((name) => name.replaceAll(/["'\s]/g, ""));
  return {
    names,
    headLines: 1,
    cellsOf: (line) =>
      isSentence(line, sign)
        ? undefined
        : (sameCount(spansOfQuoted(line, sign), names.length) ?? sameCount(spansBetween(line, sign), names.length)),
  };
}

/** A blank behind each comma, and more than a word between two of them. */
function isSentence(line: string, sign: string): boolean {
  if (sign === "\t" || !line.includes(sign)) return false;
  const cells = line.split(sign);
  return cells.slice(1).every((cell) => cell.startsWith(" ")) && cells.some((cell) => /\S\s+\S/.test(cell));
}

/** Columns below whose names a line is drawn: `az -o table`, PowerShell, `vault`, `sqlcmd`. */
function ruledTable(head: string, below: string): Table | undefined {
  if (below.length > longestHead || !/^\s*-{2,}(?:\s+-{2,})*\s*$/.test(below)) return undefined;
  const starts = Array.from(below.matchAll(/-+/g), ({ index }) => index);
  const names = spansFrom(starts, head).map(({ start, end }) => head.slice(start, end).trim());
  return { names, headLines: 2, cellsOf: (line) => alignedCells(line, starts) };
}

/** Names in capital letters with two blanks at least between: `kubectl`, `docker`, `crictl`. */
function spacedTable(head: string): Table | undefined {
  if (/[^A-Z0-9 ()_./-]/.test(head.trimEnd()) || !/\S\s{2,}\S/.test(head)) return undefined;
  const found = Array.from(head.matchAll(/\S+(?: \S+)*/g), ({ index, 0: name }) => ({ index, name }));
  const starts = found.map(({ index }) => index);
  return { names: found.map(({ name }) => name), headLines: 1, cellsOf: (line) => alignedCells(line, starts) };
}

function sameCount(cells: readonly Span[], count: number): readonly Span[] | undefined {
  return cells.length === count ? cells : undefined;
}

function spansBetween(line: string, sign: string): readonly Span[] {
  let start = 0;
  return line.split(sign).map((cell) => {
    const span = { start, end: start + cell.length };
    start = span.end + sign.length;
    return span;
  });
}

/** A cell may be quoted; then the separator, and a quote that is written twice, may stand in it. */
function spansOfQuoted(line: string, sign: string): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  while (start <= line.length) {
    const end = line[start] === '"' ? behindQuoted(line, start) : start;
    const next = line.indexOf(sign, end);
    const stop = next === -1 ? line.length : next;
    spans.push({ start, end: stop });
    start = stop + 1;
  }
  return spans;
}

function behindQuoted(line: string, start: number): number {
  for (let at = line.indexOf('"', start + 1); at !== -1; at = line.indexOf('"', at + 1)) {
    if (line[at + 1] !== '"') return at + 1;
    at++;
  }
  return start;
}

/** By the blanks between, where there are as many cells as names; else by the names' places. */
function alignedCells(line: string, starts: readonly number[]): readonly Span[] | undefined {
  if (line.trim() === "") return undefined;
  const apart = Array.from(line.matchAll(/\S+(?: \S+)*/g), ({ index, 0: cell }) => ({
    start: index,
    end: index + cell.length,
  }));
  if (apart.length === starts.length) return apart;
  const words = Array.from(line.matchAll(/\S+/g), ({ index, 0: word }) => ({ start: index, end: index + word.length }));
  if (words.length === starts.length) return words;
  // A word that lies across a column's begin stands in no row.
  if (starts.some((start) => start > 0 && /^\S\S/.test(line.slice(start - 1, start + 1)))) return undefined;
  // Marks have moved what stands behind them: such a row was shown before.
  return line.includes("<redacted:") ? starts.map(() => ({ start: 0, end: 0 })) : spansFrom(starts, line);
}

function spansFrom(starts: readonly number[], line: string): readonly Span[] {
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? Math.max(start, line.length) }));
}

const nameOfRow = /^(?:name|key|property|variable|setting|parameter|attribute|option|field)$/i;
const valueOfRow = /^(?:value|setting|val)$/i;

/** Where each row has a name of its own: the columns of name and value. */
function valueColumn(names: readonly string[]): { readonly name: number; readonly value: number } | undefined {
  const name = names.findIndex((one) => nameOfRow.test(one));
  const value = names.findIndex((one, index) => index !== name && valueOfRow.test(one));
  return name === -1 || value === -1 ? undefined : { name, value };
}

function hideRow(line: string, cells: readonly Span[], names: readonly string[]): string {
  if (names.length <= mostColumns) return hideCells(line, cells, names);
  return line.replace(/\S(?:.*\S)?/, (row) => hide("line", row));
}

function hideCells(line: string, cells: readonly Span[], names: readonly string[]): string {
  const columns = valueColumn(names);
  const nameSpan = columns === undefined ? undefined : cells[columns.name];
  const rowName = nameSpan === undefined ? "" : line.slice(nameSpan.start, nameSpan.end).trim();
  let shown = "";
  let copied = 0;
  for (const [index, { start, end }] of cells.entries()) {
    const name = index === columns?.value ? rowName : (names[index] ?? "");
    const kind = secretKindOfName(name);
    const cell = line.slice(start, end);
    if (kind === undefined || isPlainUnder(name, cell.replaceAll(/["']/g, "")) || namesObject(name, cell.trim()))
      continue;
    shown += line.slice(copied, start) + cell.replace(/[^\s"'](?:.*[^\s"'])?/, (value) => hide(kind, value));
    copied = end;
  }
  return shown + line.slice(copied);
}

/** Below "SECRET" stands the name of one in Kubernetes. */
function namesObject(name: string, value: string): boolean {
  return /secrets?$/i.test(name) && /^[a-z][a-z0-9]*(?:-[a-z0-9]{1,64}){1,12}$/.test(value) && !looksMade(value);
}
