/** What whoever pasted a log puts where he left lines out. */
const leftOut = /^\W{0,3}(?:\.{3,6}|…|\[\.{3}\]|\[…\]|<\.{3}>|<snip>|\[snip\])\W{0,3}$/iu;

/** The lines, from 1, that somebody kept alone of many: left out is what stood before them, and what behind them or nothing. */
export function linesKeptAlone(text: string): ReadonlySet<number> {
  const said = text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [{ line, at: at + 1 }]));
  const isGap = (index: number): boolean => leftOut.test(said[index]?.line ?? "");
  return new Set(
    said.flatMap(({ at }, index) =>
      !isGap(index) && isGap(index - 1) && (index === said.length - 1 || isGap(index + 1)) ? [at] : [],
    ),
  );
}
