const daysBefore = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const secondsPerYear = 366 * 86_400;

/**
 * Seconds since 1 January that a log line carries, without its year: klog and syslog print none.
 * Zones are not applied: the logs of one node share one. Undefined where the line has no date.
 */
export function lineTime(line: string): number | undefined {
  return isoTime(line) ?? klogTime(line) ?? syslogTime(line);
}

/** Seconds from `earlier` to `later`, the short way round New Year. */
export function secondsBetween(earlier: number, later: number): number {
  const difference = later - earlier;
  if (difference > secondsPerYear / 2) return difference - secondsPerYear;
  return difference < -secondsPerYear / 2 ? difference + secondsPerYear : difference;
}

/** 2026-03-21T17:05:59, 2026-03-21 17:05:59,123, 2026/03/21 17:05:59 (cloud-init, containerd, RFC 3339 journal, waagent). */
function isoTime(line: string): number | undefined {
  const match = /\b\d{4}[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})/u.exec(line.slice(0, 120));
  return match === null ? undefined : toSeconds(Number(match[1]), Number(match[2]), match.slice(3));
}

/** E0321 17:05:59.766589: severity, month and day. */
function klogTime(line: string): number | undefined {
  const match = /(?:^|[\s:"])[IWEF](\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})\./u.exec(line.slice(0, 160));
  return match === null ? undefined : toSeconds(Number(match[1]), Number(match[2]), match.slice(3));
}

/** Mar 21 17:05:59 (syslog, short journal). */
function syslogTime(line: string): number | undefined {
  const match = /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2})\b/u.exec(line.slice(0, 40));
  if (match === null) return undefined;
  const month = monthNames.indexOf((match[1] ?? "").toLowerCase()) + 1;
  return toSeconds(month, Number(match[2]), match.slice(3));
}

function toSeconds(month: number, day: number, clock: readonly string[]): number | undefined {
  const before = daysBefore[month - 1];
  if (before === undefined) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number);
  return (before + day - 1) * 86_400 + hours * 3600 + minutes * 60 + seconds;
}
