import type { JoinedLine } from "./unwrap.ts";

/** Lines of a trace that are looked at, and errors before its first frame. */
const mostOfTrace = 80;
const mostOfError = 3;

/** A function of kubeadm or of what it is made of, and below it the place in its file. */
const frame = /^(?:k8s\.io\/|github\.com\/|main\.|runtime\.)[\w./*()-]{3,200}$|^\s+\S{3,200}\.go:\d{1,5}$/u;

/** What says more than a piece of an error: a step's mark, a record's head, a list's entry, what other lines belong to. */
const noPiece = /^\s|^\[|^[IWEF]\d{4} |^\S{0,40}\d\d:\d\d:\d\d|:$|^$/u;

/**
 * A verbose kubeadm ends with its error from the inside out: what went wrong, what that was for, the frames in which this was
 * said, the next step around it and its frames. It is one error, in the order of a line.
 */
export function errorOfTrace(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!isPiece(line) || isPiece(lines[at - 1] ?? "")) return undefined;
  const pieces = piecesFrom(lines, at);
  const last = pieces.at(-1);
  if (last === undefined || pieces.length < 2) return undefined;
  const text = pieces
    .toReversed()
    .map((piece) => lines[piece]?.trim() ?? "")
    .join(": ");
  return { from: at + 1, to: last + 1, text, certain: false };
}

function isPiece(line: string): boolean {
  return !noPiece.test(line) && !frame.test(line);
}

/** The places of an error's pieces, each of which frames stand behind; none where no trace begins. */
function piecesFrom(lines: readonly string[], from: number): readonly number[] {
  const pieces: number[] = [];
  let open: number[] = [];
  for (let at = from; at < Math.min(lines.length, from + mostOfTrace); at++) {
    const line = lines[at] ?? "";
    if (frame.test(line)) {
      pieces.push(...open);
      open = [];
    } else if (isPiece(line) && open.length < mostOfError) open.push(at);
    else break;
  }
  return pieces;
}
