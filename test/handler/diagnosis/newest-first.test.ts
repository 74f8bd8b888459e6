import { expect, test } from "@jest/globals";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { newestFirst } from "../../../handler/diagnosis/newest-first.ts";
import { speakersOf } from "../../../handler/diagnosis/pasted-text.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { named, namedOnWindows, rules } from "./named-cause.ts";

const ask = "PS C:\\> Get-EventLog -LogName Application -Source rke2 | Format-Table -Wrap";
const noPipe =
  'Waiting for containerd startup: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: open //./pipe/containerd-containerd: The system cannot find the file specified."';
const running = "containerd is now running";
const at = (second: number, said: string): string => `11/14/2026 4:21:${second} PM  {${said}}`;
const kubelet = "Running RKE2 kubelet [--hostname-override=n1]";

const ranges = (...lines: readonly string[]) => newestFirst(lines.join("\n"), speakersOf(lines.join("\n")));

test("what an event log says of a machine that came up is got over, though it stands below that", () => {
  const begun = [30, 29, 28, 27, 26, 25].map((second) => at(second, `made-up step ${second}`));
  const up = [at(33, kubelet), at(32, running), at(31, noPipe), ...begun];
  const down = [at(34, noPipe), at(33, "Running containerd -c config.toml"), at(32, running), at(31, kubelet)];
  expect(namedOnWindows(ask, ...up)).toBe("unclassified");
  expect(namedOnWindows(ask, ...down)).toBe("container-runtime-not-running");
});

test("a list is turned where its command or its dates say so, and only up to the next command", () => {
  const list = [at(33, "d"), at(32, "c"), at(31, "b"), at(30, "a")];
  expect(ranges(ask, ...list)).toEqual([{ from: 2, to: 5 }]);
  expect(ranges(ask, ...list, "PS C:\\> kubectl get nodes", "NAME")).toEqual([{ from: 2, to: 5 }]);
  expect(ranges(ask, "{c}", "{b}", "{a}")).toEqual([{ from: 2, to: 4 }]);
  expect(ranges(ask.replace("| Format", "| Sort-Object Index | Format"), "{c}", "{b}")).toEqual([]);
  expect(ranges(ask, ...list.toReversed())).toEqual([]);
  // Without a command, five dates.
  expect(ranges(at(34, "e"), ...list)).toEqual([{ from: 1, to: 5 }]);
  expect(ranges(...list)).toEqual([]);
  expect(ranges(at(34, "e"), at(35, "f"), ...list)).toEqual([]);
  // One clock that was set back is no order.
  expect(ranges(...Array.from({ length: 9 }, () => at(40, "x")), at(39, "y"))).toEqual([]);
});

test.each([
  ["root@n1:~# journalctl -u kubelet -r", true],
  ["root@n1:~# journalctl -xeru kubelet", true],
  ["root@n1:~# journalctl --reverse -u kubelet", true],
  ["root@n1:~# journalctl -rn50 -u kubelet", true],
  ["root@n1:~# journalctl -u rke2-server --no-pager", false],
  ["root@n1:~# journalctl -u kubeadm-join | sed -r 's/a/b/'", false],
  ["root@n1:~# journalctl -urke2-server", false],
  ["root@n1:~# journalctl -ucrio -oshort-iso -perr", false],
])("%j turns the journal: %j", (command, isTurned) => {
  const line = (second: number): string => `Apr 02 08:15:${second} n1 kubelet[81]: step ${second}`;
  expect(ranges(command, line(12), line(11)).length > 0).toBe(isTurned);
});

test("noon and midnight are told apart", () => {
  const noon = ["11/14/2026 1:00:00 PM  {b}", "11/14/2026 12:59:00 PM  {a}"];
  expect(ranges(ask, ...noon)).toEqual([{ from: 2, to: 3 }]);
  expect(ranges(ask, ...noon.toReversed())).toEqual([]);
});

test("a list goes back over midnight and over New Year", () => {
  const night = ["1/1/2026 12:05:00 AM  {b}", "12/31/2025 11:58:00 PM  {a}"];
  expect(ranges(ask, ...night)).toEqual([{ from: 2, to: 3 }]);
  expect(ranges(ask, ...night.toReversed())).toEqual([]);
});

test("a clock that was not set yet says nothing against a command", () => {
  const line = (date: string): string => `${date} n1 k3s[900]: made-up`;
  expect(ranges("root@n1:~# journalctl -r -u k3s", line("Nov 12 08:02:00"), line("Jan  1 00:00:41"))).toEqual([
    { from: 2, to: 3 },
  ]);
  expect(ranges("root@n1:~# journalctl -r", line("Jan  1 00:05:00"), line("Dec 31 23:58:00"))).toHaveLength(1);
});

test("lines that all have one time stand in no order that could be turned", () => {
  expect(ranges(...Array.from({ length: 9 }, () => "Apr 02 08:15:10 n1 kubelet[81]: step"))).toEqual([]);
});

test("a person finds the line where it stands in the file", () => {
  const matcher = createMatcher(rules, { platform: "windows" });
  const events = [at(34, noPipe), at(33, noPipe), at(32, noPipe), at(31, "Starting rke2 agent")];
  matcher.feed({ source: "windows-events", origin: "a.log" }, Buffer.from(`${[ask, ...events].join("\n")}\n`));
  const diagnosis = rankFindings(matcher.finish());
  expect(diagnosis.kind === "healthy" ? [] : diagnosis.decisive.map(({ line }) => line)).toEqual([4]);
});

test("a journal in its usual order is read as before", () => {
  const kubeletLine = (second: number, said: string): string => `Apr 02 08:15:${second} n1 kubelet[81]: ${said}`;
  const lines = [10, 11, 12, 13, 14, 15].map((second) => kubeletLine(second, `step ${second}`));
  const failed =
    'E0402 08:15:16.123456      81 run.go:74] "command failed" err="failed to parse kubelet flag: unknown flag: --made-up"';
  expect(ranges(...lines)).toEqual([]);
  expect(named(...lines, kubeletLine(16, failed))).toBe("kubelet-config-invalid");
});

const journal = (second: number, said: string): string => `Apr 02 08:15:${second} n1 kubelet[81]: ${said}`;
const newest = "root@n1:~# journalctl -u kubelet -r";

test("what a rule knows is in the order of time, too, and is found where it stands in the file", () => {
  const lookup = (second: number): string =>
    journal(second, "dial tcp: lookup made-up.example on 192.0.2.53:53: no such host");
  const matcher = createMatcher(rules, { platform: "linux" });
  const text = [newest, lookup(14), journal(13, "step"), lookup(12), lookup(11)].join("\n");
  matcher.feed({ source: "kubelet", origin: "a.log" }, Buffer.from(`${text}\n`));
  const { byPattern } = matcher.finish();
  const events = byPattern.flatMap((found) => found.flatMap(({ first, last }) => [...first, ...last]));
  const places = events.map(({ line, fileLine }) => `${line} ${fileLine}`);
  expect([...new Set(places)]).toEqual(["2 5", "3 4", "5 2"]);
});

test("a start that stands below an end was before it", () => {
  const quiet = (second: number): string => `Apr 02 08:15:${second} n1 chronyd[5]: Selected source PHC0`;
  const end = journal(
    31,
    'E0402 08:15:31.123456      81 run.go:74] "command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unavailable desc = connection refused"',
  );
  const started = "Apr 02 08:15:21 n1 systemd[1]: Started kubelet.service - kubelet: The Kubernetes Node Agent.";
  const lines = [quiet(35), quiet(34), quiet(33), end, quiet(29), quiet(28), quiet(27), started, quiet(20)];
  expect(named(newest, ...lines)).toBe("container-runtime-not-running");
});
