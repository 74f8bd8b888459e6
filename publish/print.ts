/** One table for people: columns as wide as their longest cell. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows
    .map(
      (row) =>
        row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join("  ")
          .trimEnd() + "\n",
    )
    .join("");
}

/** Prints a result: JSON for machines, otherwise the text. */
export function printResult(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : text);
}
