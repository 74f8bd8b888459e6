/** Innermost errors that are known by their first words: a pager cuts a line at the screen's edge and leaves a mark. */
const endings = [
  "context deadline exceeded",
  "connection refused",
  "connection reset by peer",
  "no such file or directory",
  "no such host",
  "no route to host",
  "i/o timeout",
  "network is unreachable",
  "permission denied",
  "certificate signed by unknown authority",
  "address already in use",
  "no space left on device",
  "operation not permitted",
  "read-only file system",
  "input/output error",
  "authentication required",
  "Unauthorized",
] as const;
const leastOfEnding = 9;
/** Where the cut words are all that stands behind the last colon, fewer of them tell. */
const leastOfClause = 5;

/** A cut line with its last words as they were, where enough of them is there to tell. */
export function completed(line: string): string {
  const cut = /^(?<text>.{20,}?)(?:>|…|\.\.\.)\s*$/su.exec(line)?.groups?.["text"];
  if (cut === undefined) return line.length < leastOfCut ? line : completedWord(line);
  const clause = cut.slice(cut.lastIndexOf(": ") + 2);
  for (const ending of endings) {
    if (clause.length >= leastOfClause && ending.startsWith(clause)) return `${cut}${ending.slice(clause.length)}`;
    for (let length = ending.length - 1; length >= leastOfEnding; length--)
      if (cut.endsWith(ending.slice(0, length))) return `${cut}${ending.slice(length)}`;
  }
  return line;
}

/** Shorter lines end where their program ended them. */
const leastOfCut = 40;

/** A page or a column cuts without a mark: a line that ends within a word of a known ending had more of it. */
function completedWord(line: string): string {
  const clause = line.slice(line.lastIndexOf(": ") + 2).trimEnd();
  for (const ending of endings) {
    if (clause.length >= leastOfEnding && clause !== ending && ending.startsWith(clause))
      return `${line.trimEnd()}${ending.slice(clause.length)}`;
    for (let length = ending.length - 1; length >= leastOfEnding; length--) {
      if (!/\w\w/u.test(ending.slice(length - 1, length + 1))) continue;
      if (line.endsWith(ending.slice(0, length))) return `${line}${ending.slice(length)}`;
    }
  }
  return line;
}
