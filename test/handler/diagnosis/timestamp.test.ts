import { expect, test } from "@jest/globals";
import { lineTime, secondsBetween } from "../../../handler/diagnosis/timestamp.ts";

const tenthOfMarch = (31 + 29 + 9) * 86_400;

test.each([
  ["cloud-init", "2026-03-10 00:00:05,123 - util.py[DEBUG]: x", 5],
  ["containerd and k3s", 'time="2026-03-10T00:01:00.5Z" level=info', 60],
  ["klog", "E0310 01:00:00.120044    1204 kubelet.go:1] x", 3600],
  ["klog in the journal of another day's format", "[12.3] E0310 00:00:01.120044 1 x.go:1] x", 1],
  ["syslog", "Mar 10 00:00:09 host kubelet[1]: x", 9],
  ["waagent", "2026/03/10 00:00:02.1 INFO ExtHandler x", 2],
])("reads the time of a line of %s", (_, line, seconds) => {
  expect(lineTime(line)).toBe(tenthOfMarch + seconds);
});

test("gives nothing for a line without a date", () => {
  expect(lineTime("[preflight] Running pre-flight checks")).toBeUndefined();
});

test("counts the short way round New Year", () => {
  const before = lineTime("Dec 31 23:59:50 host x") ?? 0;
  const after = lineTime("Jan  1 00:00:10 host x") ?? 0;
  expect(secondsBetween(before, after)).toBe(20);
});
