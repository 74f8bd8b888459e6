import { expect, test } from "@jest/globals";
import { OlderLinesFilter } from "../../../handler/diagnosis/evidence-source-age.ts";
import type { FirstBoot } from "../../../handler/diagnosis/first-boot.ts";

interface Machine {
  readonly firstBoot: string;
  /** When the file was last written. */
  readonly modified?: string;
  /** What the clock showed at the first boot, where it was ahead. */
  readonly shown?: string;
  /** Hours that local time is ahead of UTC. */
  readonly zone?: number;
}

/** What passes of a log, in chunks of some size. */
function pass(log: string, machine: Machine, size = log.length): string {
  const { firstBoot, modified = firstBoot, shown = firstBoot, zone = 0 } = machine;
  const ms = Date.parse(firstBoot);
  const boot: FirstBoot = { ms, unzonedMs: ms + Math.min(0, zone) * 3_600_000, shownMs: Date.parse(shown) };
  const filter = new OlderLinesFilter(boot, Date.parse(modified));
  const bytes = Buffer.from(log);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(Buffer.from(filter.pass(bytes.subarray(at, at + size))));
  const passed = Buffer.concat(parts);
  expect(filter.skippedBytes).toBe(bytes.length - passed.length);
  return passed.toString();
}

const november = { firstBoot: "2026-11-28T20:00:00Z", modified: "2026-11-28T20:15:00Z" };

const formats: readonly (readonly [name: string, donor: string, own: string])[] = [
  [
    "audit.log",
    'type=AVC msg=audit(1792432800.123:456): avc:  denied  { read } for  pid=812 comm="kubelet"',
    "type=SERVICE_START msg=audit(1795896300.001:12): pid=1 uid=0 res=success",
  ],
  [
    "audit by the kernel",
    'Oct 19 10:00:00 donor kernel: audit: type=1400 audit(1792432800.123:456): apparmor="DENIED"',
    "Nov 28 20:05:00 node-a kernel: audit: type=1400 audit(1795896300.123:4)",
  ],
  [
    "klog",
    'E1019 10:00:00.123456     812 run.go:72] "command failed" err="running with swap on is not supported"',
    "I1128 20:05:00.000001     900 server.go:467] kubelet",
  ],
  ["syslog", "Oct 19 10:00:00 donor kubelet[812]: running with swap on", "Nov 28 20:05:00 node-a systemd[1]: Started"],
  ["syslog, day of one digit", "Nov  9 10:00:00 localhost kernel: Out of memory", "Nov 28 20:05:00 localhost x: y"],
  ["ISO", "2026-10-19T10:00:00.1+00:00 donor kubelet: swap", "2026-11-28T20:05:00.1+00:00 node-a kubelet: started"],
  ["logrus", 'time="2026-10-19T10:00:00Z" level=fatal msg="old"', 'time="2026-11-28T20:05:00Z" level=info msg="new"'],
  ["Go", "2026/10/19 10:00:00.123 ERROR Daemon old", "2026/11/28 20:05:00.123 INFO Daemon new"],
  [
    "fields of JSON",
    '{"level":"fatal","ts":"2026-10-19T10:00:00.1Z","msg":"old"}',
    '{"level":"info","ts":"2026-11-28T20:05:00.1Z","msg":"new"}',
  ],
  ["Kubernetes' JSON", '{"ts":1792432800123.4,"v":0,"msg":"old"}', '{"ts":1795896300123.4,"v":0,"msg":"new"}'],
  ["etcd's seconds", '{"level":"fatal","ts":1792432800.12,"msg":"old"}', '{"level":"info","ts":1795896300.12}'],
];

test.each(formats)("%s: a donor's lines are left out, this machine's pass", (_name, donor, own) => {
  const log = `${donor}\n  continued\n${own}\nundated\n${donor}\n`;
  expect(pass(log, november)).toBe(`${own}\nundated\n${donor}\n`);
});

test("the filter gives the same whatever the chunks", () => {
  const log =
    "2026-11-02 10:00:00 old\nstill old\nE1019 10:00:00.123456 old\n2026-11-28 20:03:00 new\n2026-11-02 10:00:00 quoted";
  // From the length of a date on: the first line passes until its own is read.
  for (let size = 20; size <= log.length; size += 1)
    expect(pass(log, november, size)).toBe("2026-11-28 20:03:00 new\n2026-11-02 10:00:00 quoted");
});

/** Logs of this machine alone: nothing of them may be lost. */
const own: readonly (readonly [name: string, machine: Machine, log: string])[] = [
  ["no date at all", november, "one\ntwo\n"],
  ["an old date that a line only speaks of", november, "Release file created on 2024-04-25 15:10:33\nfailed\n"],
  ["an old date in a table of files", november, "-rw-r--r-- 1 root root 12 2024-04-25 15:10:33 x\nfailed\n"],
  [
    "audit before the clock was set",
    november,
    "[    0.1] audit: type=2000 audit(0.036:1): state\n[    9.1] oom-kill\n",
  ],
  ["audit of a clock at its own beginning", november, "type=AVC msg=audit(1000000000.036:1): x\nfailed\n"],
  ["a clock at 1970", november, "Jan  1 00:00:05 localhost kernel: x\n1970-01-01T00:00:06Z x\n"],
  ["a name that changes", november, "Nov 28 20:00:03 localhost x: a\nNov 28 20:00:09 node-a x: b\n"],
  [
    "New Year within the bootstrap",
    { firstBoot: "2026-12-31T23:50:00Z", modified: "2027-01-01T00:10:00Z" },
    "E1231 23:55:00.123456 1 a.go:1] a\nE0101 00:05:00.123456 1 a.go:1] b\n",
  ],
  [
    "New Year long ago",
    { firstBoot: "2026-12-31T23:50:00Z", modified: "2027-02-01T00:10:00Z" },
    "Dec 31 23:55:00 n x: a\nJan  1 00:05:00 n x: b\n",
  ],
  [
    "local time already in the new year",
    { firstBoot: "2026-12-31T20:50:00Z", modified: "2026-12-31T21:10:00Z", zone: 9 },
    "Jan  1 05:55:00 n x: a\n",
  ],
  [
    "local time still in the old year",
    { firstBoot: "2027-01-01T03:00:00Z", modified: "2027-01-01T03:30:00Z", zone: -10 },
    "Dec 31 17:05:00 n x: a\nE1231 17:05:00.123456 1 a.go:1] b\n",
  ],
  ["local time behind UTC", { ...november, zone: -8 }, "2026-11-28 12:05:00,123 - util.py[WARNING]: x\n"],
  [
    "a zone in the line",
    { ...november, zone: -8 },
    "2026-11-28T12:05:00.1-08:00 n x: a\n2026-11-28T12:05:01-0800 n b\n",
  ],
  ["UTC, where local time is behind", { ...november, zone: -8 }, "Nov 28 20:05:00 n x: a\n"],
  [
    "29 February",
    { firstBoot: "2028-02-29T01:00:00Z", modified: "2028-03-01T00:10:00Z" },
    "Feb 29 01:05:00 n x: a\nE0229 01:06:00.123456 1 a.go:1] b\n",
  ],
  [
    "a clock that was a month ahead and was set back",
    { ...november, shown: "2026-12-28T20:00:00Z" },
    "Dec 28 20:00:02 n x: a\nE1228 20:00:04.123456 1 a.go:1] b\nNov 28 20:10:00 n x: c\n",
  ],
  [
    "a clock that began years behind and was set forward",
    { firstBoot: "2020-03-01T00:00:00Z", modified: "2026-11-28T20:15:00Z", shown: "2020-03-01T00:10:00Z" },
    "2020-03-01T00:00:05Z n a\n2026-11-28T20:10:00Z n b\n",
  ],
  [
    "a machine of a year",
    { firstBoot: "2025-12-30T10:00:00Z", modified: "2026-11-28T20:15:00Z" },
    "Dec 30 10:00:05 n x: a\nNov 28 20:10:00 n x: b\n",
  ],
  ["what is no date", november, "Nov 99 99:99:99 n x: a\nE9999 99:99:99.123456 a\n2026-99-99T99:99:99Z a\nb\n"],
];

test.each(own)("nothing of this machine's is lost: %s", (_name, machine, log) => {
  for (const size of [1, 7, log.length]) expect(pass(log, machine, size)).toBe(log);
});

test("a donor's date without a year is of the year before where this year's lies ahead", () => {
  const log = "Dec 24 10:00:00 donor kubelet[812]: old\nNov 28 20:05:00 node-a kubelet[9]: new\n";
  expect(pass(log, november)).toBe("Nov 28 20:05:00 node-a kubelet[9]: new\n");
  const leap = "Feb 29 10:00:00 donor kubelet[812]: old\nMar  3 20:05:00 node-a kubelet[9]: new\n";
  const march = { firstBoot: "2027-03-03T20:00:00Z", modified: "2027-03-03T20:15:00Z" };
  expect(pass(leap, march)).toBe("Mar  3 20:05:00 node-a kubelet[9]: new\n");
});

test("a donor's line that speaks of a later date does not open the log", () => {
  const log = "Oct 19 10:00:00 donor kubelet[812]: valid until 2027-10-19 10:00:00\nNov 28 20:05:00 node-a new\n";
  expect(pass(log, november)).toBe("Nov 28 20:05:00 node-a new\n");
});
