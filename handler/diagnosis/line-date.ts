/** A time that a line was written at, in milliseconds since 1970; one without a zone is read as UTC. */
export interface LineDate {
  readonly ms: number;
  readonly zoned: boolean;
  /** A date without a year that a clock shows, too, which was never set and began at 1970. */
  readonly perhapsUnset?: boolean;
}

/** No machine of Kubernetes is older: a clock that was never set shows less (a kernel's first `audit(0.036:1)`, 1970, 1980, 2000). */
const firstCredibleMs = Date.UTC(2015, 0);
const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const firstHourMs = 3_600_000;
/** A 29 February comes again after at most eight years. */
const yearsBack = 8;

/** What may stand before a line's own date: marks, a level, a key. Words say that the date is one that the line speaks of. */
const lead = String.raw`^(?:<\d{1,3}>\d?|\[[ \d.+]{1,20}\]|\W|(?:ts|t|time|timestamp|date|lvl|level|severity|trace|debug|info|notice|warn|warning|err|eror|error|crit|fatal)\b){0,40}`;
const isoDate = String.raw`(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?`;

/** 2026-03-21T17:05:59Z, 2026-03-21 17:05:59,123, time="2026-03-21T…", [2026/03/21 …], {"level":"error","ts":"2026-…" */
const isoAtStart = new RegExp(lead + isoDate, "iu");
/** Where a program of Go or a container's log writes its fields in another order. */
const isoOfKey = new RegExp(String.raw`\b(?:ts|time|timestamp)"? ?[=:] ?"?${isoDate}`, "iu");
/** E0321 17:05:59.766589 */
const klog = /^(?:\{"log":")?[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.\d/u;
/** Mar 21 17:05:59 */
const syslog = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)[ .]/u;
/** "Cloud-init v. 24.1 running 'init-local' at Sat, 21 Nov 2026 03:14:07 +0000. Up 9.7 seconds." */
const cloudInit = /^Cloud-init v\. [^,]{1,80}, (\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4})/u;
/** msg=audit(1774112759.123:456), in audit.log and of the kernel; {"ts":1774112759123.4,…} of Kubernetes' JSON logs, {"ts":1774112759.1,…} of etcd's */
const epoch = /\baudit\((\d{10})\.\d{1,3}:\d|"ts": ?(\d{10})(\d{3})?[.,}]/u;

/**
 * When the line was written by what it says itself. A date without a year (klog, syslog) is of the latest year that does not lie after
 * `latestMs`. Undefined where it says none, or one that only a clock that was never set shows.
 */
export function dateOfLine(line: string, latestMs: number): LineDate | undefined {
  const date = dateOf(line, latestMs);
  return date === undefined || !(date.ms >= firstCredibleMs) ? undefined : date;
}

function dateOf(line: string, latestMs: number): LineDate | undefined {
  const iso = isoAtStart.exec(line) ?? isoOfKey.exec(line);
  if (iso !== null) return ofIso(iso);
  const short = klog.exec(line) ?? syslog.exec(line);
  if (short !== null) return ofLatestYear(short, latestMs);
  const mail = cloudInit.exec(line.slice(Math.max(0, line.indexOf("Cloud-init v. "))));
  if (mail !== null) return { ms: Date.parse(mail[1] ?? ""), zoned: true };
  const seconds = epoch.exec(line);
  return seconds === null ? undefined : { ms: Number(seconds[1] ?? seconds[2]) * 1000, zoned: true };
}

function ofIso([, year, month, day, hours, minutes, seconds, zone]: RegExpExecArray): LineDate {
  const ms = Date.parse(
    `${year ?? ""}-${month ?? ""}-${day ?? ""}T${hours ?? ""}:${minutes ?? ""}:${seconds ?? ""}${colonIn(zone ?? "Z")}`,
  );
  return { ms, zoned: zone !== undefined };
}

/** +0100 is +01:00 where a date is parsed. */
function colonIn(zone: string): string {
  return /^[+-]\d{4}$/u.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
}

function ofLatestYear([, month = "", ...rest]: RegExpExecArray, latestMs: number): LineDate | undefined {
  const at = /^\d/u.test(month) ? Number(month) - 1 : monthNames.indexOf(month);
  const [day = 0, hours = 0, minutes = 0, seconds = 0] = rest.map(Number);
  if (at < 0 || at > 11) return undefined;
  const latestYear = new Date(latestMs).getUTCFullYear();
  for (let year = latestYear; year > latestYear - yearsBack - 1; year -= 1) {
    const ms = Date.UTC(year, at, day, hours, minutes, seconds);
    if (ms <= latestMs && new Date(ms).getUTCMonth() === at)
      return { ms, zoned: false, perhapsUnset: ms - Date.UTC(year, 0) < firstHourMs };
  }
  return undefined;
}
