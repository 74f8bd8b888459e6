/**
 * Which of a table's expressions may match a text: each comes with texts of which one stands in whatever it matches (may-match-texts.ts). Most
 * expressions of the reading match none of the lines of a log, and the first use of each costs as much as a thousand such looks.
 */
export function mayMatch(patterns: readonly RegExp[], rows: readonly string[]): (text: string) => readonly number[] {
  const needs = patterns.map((pattern, at) => readNeed(rows[at] ?? "", pattern));
  return (text) => {
    const folded = text.toLowerCase();
    return needs.flatMap((texts, at) =>
      texts === undefined || texts.some((needed) => folded.includes(needed)) ? [at] : [],
    );
  };
}

/** As the build writes it down: the length of the expression, and its texts in lower case. Undefined where it is told of another one. */
function readNeed(row: string, { source }: RegExp): readonly string[] | undefined {
  const [length, ...texts] = row.split("\t");
  return Number(length) === source.length && texts.length > 0 ? texts : undefined;
}
