/** Lines of a log, from 1. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** A line that a terminal, a console or a page broke in several, put together again. */
export interface JoinedLine extends LineRange {
  readonly text: string;
  /** Broken at a fixed column: certainly one line. A line broken between words only looks like it. */
  readonly certain: boolean;
}

/** A terminal's colours take no room on its screen. */
const colour = /\u001B\[[\d;]{0,16}m/gu;
const narrowest = 40;
const widest = 240;
/** Pages and terminals break between words; wider lines are seldom broken so. */
const widestPage = 132;
const mostPieces = 60;
/** Lines at the full width that show a break at a fixed column, which also goes through words. */
const leastFullLines = 2;

/**
 * The lines of a wrapped log as they were, those alone that had been broken. A line was broken where the next one's
 * first word would not have fitted behind it; a log with longer lines than a screen's was not wrapped at all.
 */
export function joinWrapped(text: string): readonly JoinedLine[] {
  const lines = text.split("\n").map((line) => line.replaceAll(colour, "").replace(/\r$/u, ""));
  const width = Math.max(...lines.map((line) => line.length));
  if (width < narrowest || width > widest) return [];
  const full = new Set(lines.filter((line) => line.length === width)).size;
  const throughWords = full >= leastFullLines;
  return throughWords || width <= widestPage ? joinAt(lines, width, throughWords) : [];
}

function joinAt(lines: readonly string[], width: number, throughWords: boolean): readonly JoinedLine[] {
  const joined: JoinedLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const from = at;
    let text = lines[at] ?? "";
    while (at + 1 < lines.length && at - from < mostPieces) {
      const glue = glueOf(lines[at] ?? "", lines[at + 1] ?? "", { width, throughWords });
      if (glue === undefined) break;
      text =
        text.trimEnd() === text
          ? `${text}${glue}${(lines[at + 1] ?? "").trimStart()}`
          : `${text}${lines[at + 1] ?? ""}`;
      at += 1;
    }
    if (at > from) joined.push({ from: from + 1, to: at + 1, text, certain: throughWords });
  }
  return joined;
}

const beginsAnew =
  /^(?:\s*$|[A-Z][a-z]{2} {1,2}\d|\d{4}[-/]\d\d[-/]\d\d|[IWEF]\d{4} \d|time="|\{"|\[[a-z\d.-]{3,40}\] |\[ *\d{1,8}\.\d{1,6}\] |\s*\[(?:ERROR|WARNING|INFO) |\$ |# |\[?\w[\w.-]{0,40}@\w|- |E: |W: |\[[A-Z]{3,9} ?\d{0,3}\] |error execution phase|\+ |\[? ?(?:FAILED|DEPEND| OK )|(?:ERROR|error|erreur |Fehler): |Cloud-init v\.)/u;

interface Screen {
  readonly width: number;
  readonly throughWords: boolean;
}

const headLength = 12;

/** Two records of one log begin with the same signs at the same places: a clock, a name, an address. */
function beginAlike(line: string, next: string): boolean {
  const head = (text: string): string => text.slice(0, headLength).replaceAll(/\d/gu, "0");
  return head(line) === head(next) && /\d|:/u.test(line.slice(0, headLength));
}

/** What stood between two pieces of one line; undefined where the second begins a line of its own. */
function glueOf(line: string, next: string, { width, throughWords }: Screen): string | undefined {
  if (beginsAnew.test(next) || line.trim() === "" || beginAlike(line, next)) return undefined;
  if (throughWords) return line.length === width ? "" : undefined;
  // A line with a clock is a record of a log, and the next one without is its neighbour.
  if (beginsAnew.test(line)) return undefined;
  const word = /^\s*\S+/u.exec(next)?.[0].length ?? 0;
  return line.length + 1 + word > width ? " " : undefined;
}
