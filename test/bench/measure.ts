/** Figures of one measurement, printed as a line. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it is measured against, run beside it on the same machine. */
  readonly beside?: string;
  readonly ratio?: number;
  readonly target: string;
  readonly met: boolean;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function inMs(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function printFigure(figure: Figure): void {
  const ratio = figure.ratio === undefined ? "" : `  ratio ${figure.ratio.toFixed(2)}`;
  const beside = figure.beside === undefined ? "" : `  beside ${figure.beside}${ratio}`;
  process.stdout.write(
    `${figure.met ? "met   " : "MISSED"}  ${figure.name}: ${figure.value}${beside}  (target ${figure.target})\n`,
  );
}
