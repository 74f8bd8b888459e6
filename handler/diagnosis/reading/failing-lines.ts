import type { CutEdges } from "../../text/shown-text.ts";
import { shapeOf, type ErrorWeight } from "../error-lines.ts";

interface RawLine {
  readonly bytes: Buffer;
  readonly line: number;
  readonly cut: CutEdges;
}

/** A failing line as it was last seen. */
export interface FailingLine extends RawLine {
  readonly weight: ErrorWeight;
  readonly firstLine: number;
  readonly count: number;
}

/** Shapes kept of one weight: the first ones, and of the others the last. */
const mostFirst = 12;
const mostLast = 24;

/** The failing lines of one log, each message once: bounded whatever the log's size. */
export class FailingLines {
  readonly #byWeight = new Map<ErrorWeight, Map<string, FailingLine>>();

  add(weight: ErrorWeight, text: string, raw: RawLine): void {
    const shapes = this.#byWeight.get(weight) ?? new Map<string, FailingLine>();
    this.#byWeight.set(weight, shapes);
    const shape = shapeOf(text);
    const known = shapes.get(shape);
    if (known === undefined) shapes.set(shape, { ...raw, weight, firstLine: raw.line, count: 1 });
    else {
      shapes.delete(shape);
      shapes.set(shape, { ...raw, weight, firstLine: known.firstLine, count: known.count + 1 });
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

  /** What stands in such ranges is said by the lines that were put together from them. */
  forgetWithin(ranges: readonly { readonly from: number; readonly to: number }[]): void {
    const isWithin = (line: number): boolean => ranges.some(({ from, to }) => line >= from && line <= to);
    for (const shapes of this.#byWeight.values()) {
      for (const [shape, { line, firstLine }] of shapes)
        if (isWithin(firstLine) && isWithin(line)) shapes.delete(shape);
    }
  }

  all(): readonly FailingLine[] {
    return [...this.#byWeight.values()].flatMap((shapes) => [...shapes.values()]);
  }
}
