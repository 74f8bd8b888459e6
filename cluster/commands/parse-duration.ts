const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of "90s", "5m", "1h" or "7d"; throws an Error that says what is allowed. */
export function parseDuration(text: string): number {
  const found = /^(\d{1,6})([smhd])$/u.exec(text);
  const [, amount, unit] = found ?? [];
  const ms = Number(amount) * (units[unit ?? ""] ?? Number.NaN);
  if (Number.isNaN(ms))
    throw new Error(`"${text}" is no duration: a whole number and s, m, h or d, for example 90s or 7d`);
  return ms;
}

/** A whole number from `least` on; throws an Error that says what is allowed. */
export function parseCount(text: string, least: number): number {
  const value = Number(text);
  if (!/^\d{1,6}$/u.test(text) || value < least)
    throw new Error(`"${text}" is no whole number from ${String(least)} on`);
  return value;
}
