import { describe, expect, test } from "@jest/globals";
import { placePath } from "../../../handler/check/answers/place-path.ts";
import { readCloudbaseLog } from "../../../scripts/check/cloudbase-init-log.ts";
import type { LookResult } from "../../../scripts/check/look.ts";
import { lookAt, type MachineShape } from "./machine-of.ts";
import {
  cloudbaseRun,
  configPath,
  ends,
  executes,
  line,
  runsCommands,
  windows,
  windowsJoinData,
  windowsNode,
  windowsSentinel,
} from "./named/parts.ts";

const begins = [executes(15), runsCommands(16)];
const failed = cloudbaseRun(10, { lines: [...begins, ends(61, 1)] });
const passed = cloudbaseRun(10, { lines: [...begins, ends(61, 0)] });
const sentinel = { [windowsSentinel]: { text: "success \r\n", at: 62 } };
const node = { ...windowsJoinData, ...windowsNode() };
const done = { "vm-1": "1" };

/** Machines that no fixture was made of: each is judged as the usual one would be, or waits; none is wrong. */
const judged: readonly (readonly [string, MachineShape, LookResult["verdict"]])[] = [
  [
    "whose log has a block of zero bytes of a power cut between two runs, on one line with the second run's begin",
    windows({
      log: `${cloudbaseRun(-900, { lines: [executes(-890)], end: "" })}${"\0".repeat(4096)}${failed}`,
      files: windowsJoinData,
      plugins: done,
    }),
    "failed",
  ],
  [
    "whose log was cut in the middle of its run by a rotation",
    windows({
      log: [...begins, ends(61, 1), line(100, "Plugins execution done"), ""].join("\r\n"),
      files: windowsJoinData,
      plugins: done,
    }),
    "failed",
  ],
  [
    "whose log and folder have other names in the configuration",
    windows({
      logPath: "D:\\Logs\\cbinit.log",
      log: failed,
      files: { ...windowsJoinData, [configPath]: "[DEFAULT]\r\nlogdir=D:\\Logs\\\r\nlogfile=cbinit.log\r\n" },
      plugins: done,
    }),
    "failed",
  ],
  [
    "whose second log, of the set-up, tells of a failure that is not the user data's",
    windows({
      log: passed,
      files: {
        ...node,
        ...sentinel,
        "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\log\\cloudbase-init-unattend.log": failed,
      },
      plugins: done,
      kubelet: "running",
    }),
    "bootstrapped",
  ],
  [
    "whose output in code page 932 became other signs",
    windows({
      log: cloudbaseRun(10, { lines: [...begins, "b'\uFFFD\uFFFD s\\x8e\\xb8\\x94\\x73'", ends(61, 1)] }),
      files: windowsJoinData,
      plugins: done,
    }),
    "failed",
  ],
  [
    "with a line of eight megabytes before the end",
    windows({
      log: cloudbaseRun(10, { lines: [...begins, `b'${"x".repeat(8_000_000)}'`, ends(61, 1)] }),
      files: windowsJoinData,
      plugins: done,
    }),
    "failed",
  ],
  [
    "that joined, and the registry has no value at all",
    windows({ log: passed, files: { ...node, ...sentinel }, kubelet: "running" }, { registry: {} }),
    "bootstrapped",
  ],
  [
    "that joined, and no host name is told",
    windows(
      { log: passed, files: { ...node, ...sentinel }, plugins: done, kubelet: "running" },
      { silent: ({ ask }) => ask === "machine" },
    ),
    "not-yet",
  ],
  ["with a log of nothing but zero bytes", windows({ log: "\0".repeat(8192), files: windowsJoinData }), "not-yet"],
  [
    "with an empty log, while the service runs",
    windows({ log: "", service: "running", files: windowsJoinData }),
    "not-yet",
  ],
  [
    "whose registry does not answer, with a failure in the log",
    windows({ log: failed, files: windowsJoinData }, { silent: ({ ask }) => ask === "registry" }),
    "not-yet",
  ],
  [
    "whose service manager does not answer, with a failure in the log",
    windows({ log: failed, files: windowsJoinData, plugins: done }, { silent: ({ ask }) => ask === "services" }),
    "not-yet",
  ],
];

describe("a Windows machine", () => {
  test.each(judged)("%s", (_, shape, verdict) => {
    const said = lookAt(shape);
    expect([said.verdict, said.stage, said.message].slice(0, said.verdict === verdict ? 1 : 3)).toEqual([verdict]);
  });

  test("whose power was cut has two runs in its log, though the second begins on a line of zero bytes", () => {
    const log = `${cloudbaseRun(-900, { end: "" })}${"\0".repeat(4096)}${failed}`;
    expect(readCloudbaseLog(log).runs.map(({ userData }) => userData)).toEqual(["not-reached", "executed"]);
  });

  test("whose system drive is D: has the check's paths on that drive", () => {
    expect(placePath("C:\\run\\cluster-api\\x", "D:\\")?.path).toBe("D:\\/run/cluster-api/x");
  });
});
