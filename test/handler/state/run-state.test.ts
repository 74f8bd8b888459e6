import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, takePrivateFolder } from "../../../handler/files/private-folder.ts";
import {
  belongsTo,
  instanceFolder,
  newestSequence,
  newRunState,
  prepareInstanceFolder,
  readRunState,
  removeOtherSequences,
  usedMs,
  unfinishedSequences,
  workFolder,
  writeRunState,
  type RunState,
} from "../../../handler/state/run-state.ts";
import { ours, show } from "../../../handler/text/shown-text.ts";
import { handlerVersion } from "../../../handler/version.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const clockOf = { now: () => new Date("2026-11-21T03:14:07.123Z"), monotonicMs: () => 7000 };
const identity = { vmId: "vm-a", bootId: "boot-1" };
const begun = newRunState(clockOf, { sequence: 3, identity });
const whole: RunState = {
  ...begun,
  timeline: [{ time: "2026-11-21T03:14:07Z", seconds: 1, stage: "kubeadm", event: ours`kubeadm runs` }],
  command: {
    startedAt: "2026-11-21T03:14:07Z",
    bootId: "boot-1",
    starts: 1,
    files: ["/a"],
    exit: { kind: "code", code: 3 },
  },
  verdict: {
    status: {
      kind: "error",
      operation: "Enable",
      code: 2,
      message: ours`It failed`,
      substatuses: [{ name: ours`BootstrapVerdict`, status: "error", code: 2, message: show('{"outcome":"failed"}') }],
    },
    decidedAt: "2026-11-21T03:15:07Z",
    afterSeconds: 60,
    final: true,
  },
};

test("a wait begins with nothing used of its deadline, on this boot and this machine", () => {
  expect(begun).toEqual({
    version: 1,
    sequence: 3,
    vmId: "vm-a",
    handlerVersion,
    startedAt: "2026-11-21T03:14:07.123Z",
    clock: { bootId: "boot-1", usedMs: 0, atMonotonicMs: 7000 },
    timeline: [],
  });
});

test("what is written is read again, by its sequence, in a file that only root may read", async () => {
  await writeRunState(folder, begun);
  await writeRunState(folder, { ...whole, sequence: 4 });
  expect(readRunState(folder, 3)).toEqual(begun);
  expect(readRunState(folder, 4)).toEqual({ ...whole, sequence: 4 });
  expect(readRunState(folder, 5)).toBeUndefined();
  expect(readdirSync(folder).sort()).toEqual(["3.state.json", "4.state.json"]);
  expect(statSync(join(folder, "3.state.json")).mode & 0o777).toBe(0o600);
});

test("a state that cannot be written is an error that names the file", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(writeRunState(join(folder, "file"), begun)).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringContaining(join(folder, "file/3.state.json")),
    cause: expect.objectContaining({ code: "ENOTDIR" }),
  });
});

test("texts of a verdict that an earlier version stored are shown anew: it may have hidden less", () => {
  const secret = "password=Zx9Qw7Lm2Vb4";
  const { verdict } = whole;
  const status = {
    ...verdict?.status,
    message: secret,
    substatuses: [
      { name: "Zx password: Qw7Lm2Vb4z9", status: "error", code: 2, message: JSON.stringify({ text: secret }) },
    ],
  };
  writeFileSync(join(folder, "3.state.json"), JSON.stringify({ ...whole, verdict: { ...verdict, status } }));
  const read = readRunState(folder, 3)?.verdict?.status;
  expect(read).toMatchObject({ kind: "error", code: 2, message: "password=<redacted:password>" });
  expect(read?.substatuses[0]).toMatchObject({
    status: "error",
    code: 2,
    message: '{"text":"password=<redacted:password>"}',
  });
  expect(read?.substatuses[0]?.name).not.toContain("Qw7Lm2Vb4z9");
});

describe("a state that cannot be understood counts as none, so that the run begins anew", () => {
  const text = JSON.stringify(whole);
  const values: readonly (readonly [string, unknown])[] = [
    ["null", null],
    ["a list", [whole]],
    ["a text", "state"],
    ["another version", { ...whole, version: 2 }],
    ["no sequence", { ...whole, sequence: undefined }],
    ["a broken number as sequence", { ...whole, sequence: 1.5 }],
    ["no machine", { ...whole, vmId: undefined }],
    ["a number as handler's version", { ...whole, handlerVersion: 2 }],
    ["no start", { ...whole, startedAt: null }],
    ["no clock", { ...whole, clock: undefined }],
    ["a clock without boot", { ...whole, clock: { usedMs: 1, atMonotonicMs: 1 } }],
    ["a clock without the used part", { ...whole, clock: { bootId: "b", atMonotonicMs: 1 } }],
    ["a clock that says no time", { ...whole, clock: { bootId: "b", usedMs: null, atMonotonicMs: 1 } }],
    ["a clock without its reading", { ...whole, clock: { bootId: "b", usedMs: 1 } }],
    ["a timeline that is no list", { ...whole, timeline: {} }],
    ["a time without an event", { ...whole, timeline: [{ time: "t", seconds: 1 }] }],
    ["an event without a time", { ...whole, timeline: [...whole.timeline, { event: "e", seconds: 1 }] }],
    ["an event without seconds", { ...whole, timeline: [{ time: "t", event: "e", seconds: "1" }] }],
    ["an event that is no object", { ...whole, timeline: [null] }],
    ["a command that is a text", { ...whole, command: "x" }],
    ["a command without start", { ...whole, command: { bootId: "b", starts: 1 } }],
    ["a command without boot", { ...whole, command: { startedAt: "t", starts: 1 } }],
    ["files that are no list", { ...whole, command: { ...whole.command, files: "/a" } }],
    ["a file that is no text", { ...whole, command: { ...whole.command, files: ["/a", 5] } }],
    ["a command that was not counted", { ...whole, command: { startedAt: "t", bootId: "b" } }],
    ["an exit that is a number", { ...whole, command: { ...whole.command, exit: 3 } }],
    ["an exit of no kind", { ...whole, command: { ...whole.command, exit: { code: 3 } } }],
    ["an exit without code", { ...whole, command: { ...whole.command, exit: { kind: "code" } } }],
    ["an exit without signal", { ...whole, command: { ...whole.command, exit: { kind: "signal", code: 1 } } }],
    ["an exit without reason", { ...whole, command: { ...whole.command, exit: { kind: "not-started", code: 1 } } }],
    ["a verdict that is a list", { ...whole, verdict: [] }],
    ["a verdict without its time", { ...whole, verdict: { ...whole.verdict, decidedAt: undefined } }],
    ["a verdict without its age", { ...whole, verdict: { ...whole.verdict, afterSeconds: "60" } }],
    ["a verdict that may change or not", { ...whole, verdict: { ...whole.verdict, final: undefined } }],
    ["a verdict without status", { ...whole, verdict: { ...whole.verdict, status: undefined } }],
    ...(["kind", "operation", "message", "code", "substatuses"] as const).map(
      (key) => [`a status without ${key}`, withStatus({ [key]: undefined })] as const,
    ),
    ["substatuses that are no list", withStatus({ substatuses: {} })],
    ["a substatus that is nothing", withStatus({ substatuses: [null] })],
    ["a good substatus and a bad one", withStatus({ substatuses: [whole.verdict?.status.substatuses[0], {}] })],
    ...(["name", "status", "message", "code"] as const).map(
      (key) =>
        [
          `a substatus without ${key}`,
          withStatus({ substatuses: [{ name: "n", status: "error", message: "m", code: 1, [key]: undefined }] }),
        ] as const,
    ),
  ];

  test.each(values)("%s", (_, value) => {
    writeFileSync(join(folder, "3.state.json"), JSON.stringify(value));
    expect(readRunState(folder, 3)).toBeUndefined();
  });

  test("every cut of the file", () => {
    for (let length = 0; length < text.length; length += 7) {
      writeFileSync(join(folder, "3.state.json"), text.slice(0, length));
      expect(readRunState(folder, 3)).toBeUndefined();
    }
  });

  function withStatus(change: object): object {
    return { ...whole, verdict: { ...whole.verdict, status: { ...whole.verdict?.status, ...change } } };
  }
});

test.each([
  ["a code", { kind: "code", code: 0 }],
  ["a signal", { kind: "signal", signal: "SIGKILL" }],
  ["no start", { kind: "not-started", reason: "ENOENT" }],
] as const)("a command's end by %s is understood, and a command that runs", async (_, exit) => {
  const command = { startedAt: "t", bootId: "b", starts: 2 };
  await writeRunState(folder, { ...begun, command: { ...command, exit } });
  expect(readRunState(folder, 3)?.command).toEqual({ ...command, exit });
  await writeRunState(folder, { ...begun, command });
  expect(readRunState(folder, 3)?.command).toEqual(command);
});

test("only files of our names are states of unfinished sequences; what cannot be read, has a verdict or an ended command is left out", async () => {
  for (const sequence of [0, 3, 12]) await writeRunState(folder, { ...begun, sequence });
  await writeRunState(folder, { ...whole, sequence: 20 });
  const command = { startedAt: "t", bootId: "b", starts: 1 };
  await writeRunState(folder, { ...begun, sequence: 21, command: { ...command, exit: { kind: "code", code: 1 } } });
  await writeRunState(folder, { ...begun, sequence: 22, command });
  writeFileSync(join(folder, "7.state.json"), "{");
  for (const name of ["x5.state.json", "3.state.jsonx", "5.state.jsonx", "5xstatexjson", "mrseq"])
    writeFileSync(join(folder, name), JSON.stringify(begun));
  expect(unfinishedSequences(folder).toSorted((one, other) => one - other)).toEqual([0, 3, 12, 22]);
});

test("the newest sequence is the one that was written last, and of two at once the higher one", async () => {
  expect(newestSequence(folder)).toBeUndefined();
  for (const sequence of [5, 19, 2]) await writeRunState(folder, { ...begun, sequence });
  for (const name of ["x77.state.json", "77.state.jsonx"]) writeFileSync(join(folder, name), "");
  const at = (sequence: number, seconds: number) => {
    utimesSync(join(folder, `${String(sequence)}.state.json`), seconds, seconds);
  };
  at(5, 100);
  at(19, 50);
  at(2, 60);
  expect(newestSequence(folder)).toBe(5);
  at(19, 100);
  expect(newestSequence(folder)).toBe(19);
});

test("states and work folders of other sequences are removed, and nothing else", async () => {
  for (const sequence of [1, 2, 13]) {
    await writeRunState(folder, { ...begun, sequence });
    mkdirSync(join(workFolder(folder, sequence), "deep"), { recursive: true });
    writeFileSync(join(workFolder(folder, sequence), "deep/script"), "secret");
  }
  expect(workFolder(folder, 1)).toBe(join(folder, "1.work"));
  const others = ["x1.work", "1.workx", "supervisor.lock.1", "stopped", "1.state.jsonx"];
  for (const name of others) writeFileSync(join(folder, name), "");
  removeOtherSequences(folder, 2);
  expect(readdirSync(folder).sort()).toEqual([...others, "2.state.json", "2.work"].sort());
  expect(existsSync(join(folder, "2.work/deep/script"))).toBe(true);
});

test("an instance's folder bears the handler's and the extension's name, and leads nowhere else", () => {
  const name = { stateFolder: "/state", handlerName: "Pub.CAPZ-x", extensionName: undefined };
  expect(instanceFolder(name)).toBe("/state/Pub.CAPZ-x");
  expect(instanceFolder({ ...name, extensionName: "pool-a" })).toBe("/state/Pub.CAPZ-x+pool-a");
  expect(instanceFolder({ ...name, handlerName: "a/../b c" })).toBe("/state/a_.._b_c");
});

test("private folders are made closed to others; a link or a file in their place goes, its target stays", () => {
  const target = join(folder, "target");
  mkdirSync(target);
  writeFileSync(join(target, "file"), "kept");
  for (const [index, prepare] of [prepareInstanceFolder, takePrivateFolder].entries()) {
    const [link, file, made] = ["link", "file", "a/b"].map((name) => join(folder, String(index), name));
    mkdirSync(join(folder, String(index)));
    symlinkSync(target, link ?? "");
    writeFileSync(file ?? "", "");
    for (const path of [link ?? "", file ?? "", made ?? "", made ?? ""]) {
      prepare(path);
      expect(lstatSync(path).isDirectory()).toBe(true);
      expect(lstatSync(path).mode & 0o777).toBe(0o700);
    }
  }
  expect(readFileSync(join(target, "file"), "utf8")).toBe("kept");
});

test("what lies in a private folder stays when it is prepared again", () => {
  for (const prepare of [prepareInstanceFolder, takePrivateFolder, makePrivateFolder]) {
    writeFileSync(join(folder, "state"), "x");
    prepare(folder);
    expect(readFileSync(join(folder, "state"), "utf8")).toBe("x");
  }
});

test("a folder that cannot be made is an error that names it", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => {
    makePrivateFolder(join(folder, "file/below"));
  }).toThrow(
    expect.objectContaining({
      id: "stateUnwritable",
      message: expect.stringContaining("file/below"),
      cause: expect.objectContaining({ code: "ENOTDIR" }),
    }),
  );
});

test("the used part of the deadline goes on with the clock of the same boot, and stands still over a reboot", () => {
  const clock = { bootId: "boot-1", usedMs: 1000, atMonotonicMs: 5000 };
  expect(usedMs(clock, { bootId: "boot-1", monotonicMs: 7000 })).toBe(3000);
  expect(usedMs(clock, { bootId: "boot-2", monotonicMs: 7000 })).toBe(1000);
  expect(usedMs(clock, { bootId: "boot-1", monotonicMs: 4000 })).toBe(1000);
});

test("a state belongs to the machine whose id it bears", () => {
  expect(belongsTo(begun, identity)).toBe(true);
  expect(belongsTo(begun, { ...identity, vmId: "vm-b" })).toBe(false);
  expect(belongsTo(begun, { ...identity, bootId: "boot-9" })).toBe(true);
});
