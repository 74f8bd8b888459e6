/** Any RFC 3339 time as UTC with milliseconds, so that two of them compare as texts; undefined when it is none. */
export function asMoment(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/u.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** Milliseconds from one moment to a later one. */
export function msBetween(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}

/** Kubernetes keeps whole seconds in conditions. */
export function wholeSecond(moment: string): string {
  return `${moment.slice(0, 19)}Z`;
}
