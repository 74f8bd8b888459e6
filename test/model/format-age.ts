/** "+1.5 min": how long after the beginning of its story something happens on a machine. */
export function formatAge(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
  ];
  for (const [size, name] of units) {
    if (Math.abs(ms) >= size) return `+${String(Math.round((ms / size) * 10) / 10)} ${name}`;
  }
  return `+${String(Math.round(ms))} ms`;
}
