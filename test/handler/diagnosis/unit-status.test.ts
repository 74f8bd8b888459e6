import { expect, test } from "@jest/globals";
import { rangesOfUnitsUp, unitState } from "../../../handler/diagnosis/unit-status.ts";
import { causeOf } from "./reading/cause-of.ts";

const helper = "  Process: 811 ExecStartPre=/usr/bin/podman rm made-up (code=exited, status=1/FAILURE)";
const before =
  "Apr 02 08:15:10 n1 podman[811]: Error: cannot stat /run/containerd/containerd.sock: no such file or directory";
const started = "Apr 02 08:15:11 n1 systemd[1]: Started A made-up daemon.";

const status = (state: string, ...tail: readonly string[]): readonly string[] => [
  "● kubelet.service - A made-up daemon",
  "   Loaded: loaded (/etc/systemd/system/kubelet.service; enabled)",
  `   Active: ${state} since Thu 2026-04-02 08:15:11 UTC; 2min ago`,
  helper,
  " Main PID: 812 (made-up)",
  "",
  ...tail,
];

test("how a helper ended is no part of the state of a unit that is up", () => {
  const up = status("active (running)");
  const down = status("activating (auto-restart) (Result: exit-code)");
  expect(unitState(up, up[0] ?? "", 0)?.text).not.toContain("ExecStartPre");
  expect(unitState(down, down[0] ?? "", 0)?.text).toContain("ExecStartPre");
});

test("what failed before a unit was started that is up is no cause", () => {
  expect(causeOf(...status("active (running)", before, started))).toBe("unclassified");
  expect(causeOf(...status("active (running)", started, before))).toBe("container-runtime-not-running");
  const other = started.replace("A made-up daemon", "Another one");
  expect(causeOf(...status("active (running)", before, other))).toBe("container-runtime-not-running");
  expect(causeOf(...status("failed (Result: exit-code)", before, started))).not.toBe("unclassified");
});

test("what was said before the start of a unit that systemd starts over and over still counts", () => {
  const again = "Apr 02 08:15:11 n1 systemd[1]: kubelet.service: Scheduled restart job, restart counter is at 7.";
  expect(causeOf(...status("active (running)", before, again, started))).not.toBe("unclassified");
});

test("the lines are those of the helpers and those up to the last start, and of no unit that follows", () => {
  const next = status("failed (Result: exit-code)");
  const text = ["before", ...status("active (running)", before, started, ...next)].join("\n");
  expect(rangesOfUnitsUp(text)).toEqual([
    { from: 5, to: 5 },
    { from: 8, to: 8 },
  ]);
});
