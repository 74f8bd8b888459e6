import type { CutEdges } from "../../text/shown-text.ts";
import { longestShape, shapeOf, type ErrorWeight } from "../error-lines.ts";

interface RawLine {
  readonly bytes: Buffer;
  readonly line: number;
  readonly cut: CutEdges;
}

/** A failing line as it was last seen. */
export interface FailingLine extends RawLine {
  readonly weight: ErrorWeight;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly count: number;
}

/** Shapes kept of one weight: the first ones, and of the others the last. */
const mostFirst = 12;
const mostLast = 24;

/** Of two lines that begin alike, one that is shorter than this share of the other was cut. */
const cutShare = 0.8;

/** Characters of a shape with which a line that was cut behind them is still known. */
const leastOfShape = 36;

/** A line whose end is missing, as the last one of an excerpt, has the shape of the line that it begins as. */
function knownShape(shape: string, shapes: ReadonlyMap<string, unknown>): string {
  if (shapes.has(shape) || shape.length < leastOfShape || shape.length >= longestShape) return shape;
  return [...shapes.keys()].find((one) => one.startsWith(shape)) ?? shape;
}

/** The failing lines of one log, each message once: bounded whatever the log's size. */
export class FailingLines {
  readonly #byWeight = new Map<ErrorWeight, Map<string, FailingLine>>();

  add(weight: ErrorWeight, text: string, raw: RawLine): void {
    const shapes = this.#byWeight.get(weight) ?? new Map<string, FailingLine>();
    this.#byWeight.set(weight, shapes);
    const own = shapeOf(text);
    const shape = knownShape(own, shapes);
    const known = shapes.get(shape);
    const lastLine = raw.line;
    if (known === undefined) shapes.set(shape, { ...raw, weight, firstLine: raw.line, lastLine, count: 1 });
    else {
      shapes.delete(shape);
      // Where the end of a line is missing, the one before it says more.
      const isCut = shape !== own || raw.bytes.length < known.bytes.length * cutShare;
      const { bytes, line, cut } = isCut ? known : raw;
      const seen = { weight, firstLine: known.firstLine, lastLine, count: known.count + 1 };
      shapes.set(shape, { bytes, line, cut, ...seen });
    }
    if (shapes.size > mostFirst + mostLast) this.#forget(shapes);
  }

  /** Least recently seen first, but not one of those that stood first in the log. */
  #forget(shapes: Map<string, FailingLine>): void {
    let skipped = 0;
    for (const [shape] of shapes) {
      skipped += 1;
      if (skipped <= mostFirst) continue;
      shapes.delete(shape);
      return;
    }
  }

  /** A line that turned out to be no failure. */
  forgetLine(line: number): void {
    for (const shapes of this.#byWeight.values()) {
      for (const [shape, seen] of shapes) {
        if (seen.lastLine !== line) continue;
        if (seen.count === 1) shapes.delete(shape);
        else shapes.set(shape, { ...seen, count: seen.count - 1 });
      }
    }
  }

  /** What stands in such ranges is said by the lines that were put together from them. */
  forgetWithin(ranges: readonly { readonly from: number; readonly to: number }[]): void {
    const isWithin = (line: number): boolean => ranges.some(({ from, to }) => line >= from && line <= to);
    for (const shapes of this.#byWeight.values()) {
      for (const [shape, { lastLine, firstLine }] of shapes)
        if (isWithin(firstLine) && isWithin(lastLine)) shapes.delete(shape);
    }
  }

  all(): readonly FailingLine[] {
    return [...this.#byWeight.values()].flatMap((shapes) => [...shapes.values()]);
  }
}
