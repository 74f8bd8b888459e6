import { expect, test } from "@jest/globals";
import { createMachine } from "../../../../handler/check/answers/answer-questions.ts";
import { questionsOfOneLook } from "../../../../handler/check/answers/ask-ahead.ts";
import { keyInTree, parseKey } from "../../../../handler/check/answers/registry-answers.ts";
import { parseNumbers } from "../../../../handler/check/answers/service-answers.ts";
import { windowsEvidence } from "../../../../handler/diagnosis/evidence-windows.ts";
import type { Host } from "../../../../handler/host.ts";
import type { RunResult } from "../../../../handler/process-port.ts";
import type { Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";
import { exited, identity, makeMachine, outcomes, windowsMachine } from "./made-machine.ts";

test("of sc.exe nothing but the numbers is read, in their order", () => {
  const query =
    "\r\nDIENSTNAME: x\r\n        TYP      : 20  WIN32\r\n        STATUS   : 2  START_PENDING\r\n                (NOT_STOPPABLE)\r\n        WIN32_EXITCODE : 1067  (0x42b)\r\n";
  expect(parseNumbers(query)).toEqual([0x20, 2, 1067]);
  const ofWine =
    "SERVICE_NAME: x\r\n        TYPE               : 10  WIN32_OWN_PROCESS\r\n        STATE              : 1  STOPPED\r\n        WIN32_EXIT_CODE    : 1077  (0x435)\r\n        SERVICE_EXIT_CODE  : 0  (0x0)\r\n";
  expect(parseNumbers(ofWine)).toEqual([0x10, 1, 1077]);
  expect(parseNumbers("")).toEqual([]);
});

test.each([
  [" A : zz\n B : y 12\n", [Number.NaN, Number.NaN]],
  [" A : 10\n B : 0x10 C\n C : 10\n D : 1\n", [16, 16, 10]],
  ["A : 10\n : 7\n no colon\n", [7]],
])("of %j of sc.exe the numbers are %j", (text, numbers) => {
  expect(parseNumbers(text)).toEqual(numbers);
});

test("of reg.exe the values of a key and the names of the keys below are read", () => {
  const output =
    "\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\A B\r\n    (Standard)    REG_SZ    (Wert nicht festgelegt)\r\n    InstallDate    REG_DWORD    0x6570e1c0\r\n    A name    REG_SZ    one    two\r\n    Empty    REG_SZ\r\n\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\A B\\Sub key\r\n";
  expect(parseKey(output, "HKLM\\SOFTWARE\\A B")).toEqual({
    values: { "(Standard)": "(Wert nicht festgelegt)", InstallDate: "1701896640", "A name": "one    two", Empty: "" },
    subkeys: ["Sub key"],
  });
});

const key = "HKEY_LOCAL_MACHINE\\A";
test.each<[string, object]>([
  [`${key}\r\n${key}\\\r\n${key}\\B \r\n${key}\\B\\C\r\nHKEY_LOCAL_MACHINE\\Other\r\n`, { subkeys: ["B"] }],
  ["HKEY_LOCAL_MACHINE\\a\\SMALL", { subkeys: ["SMALL"] }],
  ["     Five    REG_SZ    x\r\nx    Four    REG_SZ    x\r\n    Name    REG_SZx    y", {}],
  ["    No type\r\n    Name    Type    data", {}],
  ["    N    REG_SZ    0x10", { values: { N: "0x10" } }],
  ["    N    REG_DWORD    (bad)", { values: { N: "(bad)" } }],
  ["    N    REG_DWORD    x0x10", { values: { N: "x0x10" } }],
  ["    N    REG_DWORD    0x10 y", { values: { N: "0x10 y" } }],
  ["    N    REG_QWORD    0xFFFFFFFFFFFFFFFF", { values: { N: "18446744073709551615" } }],
  [`    N    REG_QWORD    0x1${"0".repeat(16)}`, { values: { N: `0x1${"0".repeat(16)}` } }],
  [
    Array.from({ length: 501 }, (_, index) => `    N${String(index)}    REG_SZ    x\r\n${key}\\K${String(index)}`).join(
      "\r\n",
    ),
    {
      values: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`N${String(index)}`, "x"])),
      subkeys: Array.from({ length: 500 }, (_, index) => `K${String(index)}`),
    },
  ],
])("of the key's output %j is read what it holds", (output, expected) => {
  expect(parseKey(output, "HKLM\\A")).toEqual({ values: {}, subkeys: [], ...expected });
});

test("of all keys below one that reg.exe prints, the values of one and the names below it are read", () => {
  const top = "HKEY_LOCAL_MACHINE\\SOFTWARE\\A B";
  const lines = [
    ...["", top, "    Own    REG_SZ    x", "", `${top}\\vm-1\\Plugins`, "    UserDataPlugin    REG_DWORD    0x1", ""],
    ...[
      `${top}\\vm-10\\Plugins`,
      "    UserDataPlugin    REG_DWORD    0x2",
      "    Other    REG_SZ",
      "",
      `${top}\\vm-2`,
      "",
    ],
  ];
  const output = lines.join("\r\n");
  expect(keyInTree(output, "HKLM\\SOFTWARE\\A B")).toEqual({
    values: { Own: "x" },
    subkeys: ["vm-1", "vm-10", "vm-2"],
  });
  expect(keyInTree(output, "HKLM\\SOFTWARE\\a b\\VM-1\\plugins")).toEqual({
    values: { UserDataPlugin: "1" },
    subkeys: [],
  });
  expect(keyInTree(output, "HKLM\\SOFTWARE\\A B\\vm-1")).toEqual({ values: {}, subkeys: ["Plugins"] });
  expect(keyInTree(output, "HKLM\\SOFTWARE\\A B\\vm-10\\Plugins")?.values).toEqual({ UserDataPlugin: "2", Other: "" });
  expect(keyInTree(output, "HKLM\\SOFTWARE\\A B\\vm-3")).toBeUndefined();
  expect(keyInTree("", "HKLM\\SOFTWARE\\A B")).toBeUndefined();
});

test("cloudbase-init's keys are asked for with all below them, under the command that the diagnosis has too", async () => {
  const tree = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
  const printed = `\r\n${tree.replace("HKLM", "HKEY_LOCAL_MACHINE")}\\vm-1\\Plugins\r\n    A    REG_DWORD    0x1\r\n`;
  const { ask, calls } = windowsMachine({ [`reg query ${tree} /s`]: exited(0, printed) });
  expect(await ask({ ask: "registry", key: tree })).toEqual({ kind: "values", values: {}, subkeys: ["vm-1"] });
  expect(await ask({ ask: "registry", key: `${tree}\\vm-1\\Plugins` })).toEqual({
    kind: "values",
    values: { A: "1" },
    subkeys: [],
  });
  expect(await ask({ ask: "registry", key: `${tree}\\vm-2\\Plugins` })).toEqual({ kind: "absent" });
  expect(await ask({ ask: "registry", key: `${tree}x` })).toEqual({ kind: "absent" });
  expect(new Set(calls)).toEqual(new Set([`reg query ${tree} /s`, `reg query ${tree}x`]));
  const commands = windowsEvidence.flatMap(({ read }) => (read.kind === "command" ? [read.command.join(" ")] : []));
  expect(commands).toContain(`reg.exe query ${tree} /s`);
});

const status = (state: number, exitCode: number) =>
  `\r\nSERVICE_NAME: x\r\n TYPE : 10  A\r\n STATE : ${String(state)}  B\r\n WIN32_EXIT_CODE : ${String(exitCode)}  (0x0)\r\n`;
const startKey = "reg query HKLM\\SYSTEM\\CurrentControlSet\\Services\\kubelet";
const startOf = (number: string) => `\r\nHKEY_LOCAL_MACHINE\\X\r\n    Start    REG_DWORD    ${number}\r\n`;

test.each<[string, Readonly<Record<string, RunResult>>, unknown]>([
  ["running", { sc: exited(0, status(4, 0)) }, { kind: "service", state: "running", start: "unknown", exitCode: 0 }],
  [
    "of an unknown state",
    { sc: exited(0, status(9, 0)) },
    { kind: "service", state: "unknown", start: "unknown", exitCode: 0 },
  ],
  [
    "stopped, and started by hand alone",
    { sc: exited(0, status(1, 1077)), [startKey]: exited(0, startOf("0x3")) },
    { kind: "service", state: "stopped", start: "manual", exitCode: 1077 },
  ],
  [
    "stopped, and started by itself",
    { sc: exited(0, status(1, 0)), [startKey]: exited(0, startOf("0x2")) },
    { kind: "service", state: "stopped", start: "automatic", exitCode: 0 },
  ],
  [
    "stopped, of a kind that nobody knows",
    { sc: exited(0, status(1, 0)), [startKey]: exited(0, startOf("0x9")) },
    { kind: "service", state: "stopped", start: "unknown", exitCode: 0 },
  ],
  ...[exited(1), exited(5), exited(0, "")].map((reg): [string, Readonly<Record<string, RunResult>>, unknown] => [
    "stopped, which its key does not explain",
    { sc: exited(0, status(1, 0)), [startKey]: reg },
    { kind: "service", state: "stopped", start: "unknown", exitCode: 0 },
  ]),
  ["that says nothing", { sc: exited(0, "") }, { kind: "service", state: "unknown", start: "unknown" }],
  ["that is not there", { sc: exited(1060) }, { kind: "missing" }],
  [
    "that is not there, in the words of the program alone",
    { sc: exited(36, "[SC] FAILED 1060:") },
    { kind: "missing" },
  ],
])("a service %s", async (_, answers, expected) => {
  const { ask, calls } = windowsMachine(answers);
  expect(await ask({ ask: "services", names: ["kubelet", "kubelet"] })).toEqual({ kubelet: expected });
  expect(calls[0]).toBe("sc query kubelet");
});

test.each(outcomes)("what a program of Windows tells that %s cannot be told", async (_, result, why) => {
  const { ask } = windowsMachine({ sc: result, reg: result, tasklist: result });
  expect(await ask({ ask: "services", names: ["kubelet"] })).toBe(`sc.exe ${why}`);
  expect(await ask({ ask: "registry", key: "HKLM\\A" })).toBe(`reg.exe ${why}`);
  expect(await ask({ ask: "processes" })).toBe(`tasklist.exe ${why}`);
  expect(await ask({ ask: "machine" })).toBe("the host name is not known");
});

test.each<[string, Question, string]>([
  ...["", "-x", "a;b", "a\nb", "x".repeat(257), " a"].map((name): [string, Question, string] => [
    `the service ${JSON.stringify(name.slice(0, 9))}`,
    { ask: "services", names: ["kubelet", name] },
    "these are not names of services",
  ]),
  [
    "more services than anybody has",
    { ask: "services", names: Array.from({ length: 21 }, (_, index) => `s${String(index)}`) },
    "these are not names of services",
  ],
  ...[
    "HKLM",
    "HKCR\\A",
    "xHKLM\\A",
    "HKLM\\",
    "HKLM\\A\\\\B",
    'HKLM\\"A',
    "HKLM\\A\n",
    `HKLM${"\\a".repeat(21)}`,
    `HKLM\\${"x".repeat(256)}`,
  ].map((key): [string, Question, string] => [
    `the key ${JSON.stringify(key.slice(0, 12))}`,
    { ask: "registry", key },
    "it is not a key of the registry",
  ]),
  ["units", { ask: "units", names: ["a.service"] }, "this system knows no units"],
  ["the processes of a unit", { ask: "processes", unit: "a.service" }, "this system knows no units"],
])("%s reaches no program of Windows", async (_, question, why) => {
  const { ask, calls } = windowsMachine({});
  expect(await ask(question)).toBe(why);
  expect(calls).toEqual([]);
});

test("twenty services are asked, with the names that Windows has; services and keys are asked of Windows alone", async () => {
  const names = [...Array.from({ length: 18 }, (_, index) => `s${String(index)}`), "MSSQL$A B.c-d", "x".repeat(256)];
  const { ask, calls } = windowsMachine({ sc: exited(1060) });
  expect(await ask({ ask: "services", names })).toEqual(
    Object.fromEntries(names.map((name) => [name, { kind: "missing" }])),
  );
  expect(calls).toHaveLength(20);
  expect(await ask({ ask: "registry", key: `HKCU${"\\a".repeat(20)}` })).toEqual({ kind: "absent" });
  const linux = makeMachine();
  expect(await linux.ask({ ask: "services", names: ["a"] })).toBe("this system knows no services");
  expect(await linux.ask({ ask: "registry", key: "HKLM\\A" })).toBe("this system knows no registry");
});

test("what says the same twice is believed for two minutes, until something changes; a service that is there is not", async () => {
  const tree = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
  const answers: Record<string, RunResult> = { sc: exited(1060), reg: exited(1) };
  const { machine, calls, clock, ask } = windowsMachine(answers);
  const service = { ask: "services", names: ["cloudbase-init"] } as const;
  const plugins = { ask: "registry", key: `${tree}\\vm-1\\Plugins` } as const;
  const asked = async (question: Question, atMs: number) => {
    clock.ms = atMs;
    const before = calls.length;
    machine.beginLook();
    await ask(question);
    return [calls.length - before, machine.usedSettledAnswers()];
  };
  for (const question of [service, plugins]) {
    const from = clock.ms + 1000;
    expect(await asked(question, from)).toEqual([1, false]);
    expect(await asked(question, from + 3999)).toEqual([1, false]);
    expect(await asked(question, from + 5000)).toEqual([1, false]);
    expect(await asked(question, from + 124_999)).toEqual([0, true]);
    expect(await asked(question, from + 125_000)).toEqual([1, false]);
    expect(await asked(question, from + 130_000)).toEqual([0, true]);
    machine.forgetSettledAnswers();
    expect(await asked(question, from + 131_000)).toEqual([1, false]);
    expect(await asked(question, from + 136_000)).toEqual([1, false]);
    expect(await asked(question, from + 137_000)).toEqual([0, true]);
    machine.forgetKeptAnswers();
    expect(await asked(question, from + 138_000)).toEqual([1, false]);
  }
  // Another answer has not settled; nor has one during which something changed.
  answers["reg"] = exited(0, `HKEY_LOCAL_MACHINE${tree.slice(4)}\\vm-1\\Plugins\r\n`);
  expect(await asked(plugins, clock.ms + 5000)).toEqual([1, false]);
  expect(await asked(plugins, clock.ms + 1000)).toEqual([1, false]);
  machine.beginLook();
  clock.ms += 10_000;
  const underWay = ask(plugins);
  machine.forgetSettledAnswers();
  await underWay;
  expect(await asked(plugins, clock.ms + 5000)).toEqual([1, false]);
  expect(await asked(plugins, clock.ms + 1000)).toEqual([1, false]);
  // Nor has one that could not be had in between.
  const same = answers["reg"];
  machine.forgetSettledAnswers();
  expect(await asked(plugins, clock.ms + 1000)).toEqual([1, false]);
  answers["reg"] = exited(5);
  expect(await asked(plugins, clock.ms + 2000)).toEqual([1, false]);
  answers["reg"] = same;
  expect(await asked(plugins, clock.ms + 3000)).toEqual([1, false]);
  expect(await asked(plugins, clock.ms + 1500)).toEqual([1, false]);
  for (const [given, question] of [
    [exited(0, status(1, 0)), service],
    [exited(1060), { ask: "services", names: ["kubelet"] }],
    [exited(1060), { ask: "registry", key: "HKLM\\SOFTWARE\\Other" }],
    [exited(5), service],
  ] as const) {
    answers["sc"] = given;
    machine.forgetKeptAnswers();
    for (let look = 0; look < 3; look++) {
      expect(await asked(question, clock.ms + 10_000)).toEqual([
        given.kind === "exited" && given.code === 0 ? 2 : 1,
        false,
      ]);
    }
  }
});

test("what all run is believed for a minute, what one does not for a second, and the set-up's key for good", async () => {
  const answers: Record<string, RunResult> = { sc: exited(0, status(4, 0)), reg: exited(0, startOf("0x2")) };
  const { machine, calls, clock, ask } = windowsMachine(answers);
  const services = { ask: "services", names: ["a", "b"] } as const;
  const asked = async (question: Question, atMs: number) => {
    clock.ms = atMs;
    const before = calls.length;
    machine.beginLook();
    await ask(question);
    return [calls.length - before, machine.usedKeptAnswers()];
  };
  expect(await asked(services, 0)).toEqual([2, false]);
  expect(await asked(services, 59_999)).toEqual([0, false]);
  expect(await asked({ ask: "services", names: [] }, 59_999)).toEqual([0, false]);
  answers["sc query b"] = exited(0, status(2, 0));
  expect(await asked(services, 60_000)).toEqual([2, false]);
  expect(await asked(services, 60_999)).toEqual([0, true]);
  expect(await asked(services, 61_000)).toEqual([2, false]);
  answers["sc query b"] = exited(1060);
  expect(await asked(services, 62_000)).toEqual([2, false]);
  expect(await asked(services, 63_000)).toEqual([2, false]);
  const lasting = { ask: "registry", key: "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion" } as const;
  const other = { ask: "registry", key: "HKLM\\SOFTWARE\\Other" } as const;
  answers["reg"] = exited(5);
  expect(await asked(lasting, 70_000)).toEqual([1, false]);
  answers["reg"] = exited(0, startOf("0x2"));
  for (const [question, later] of [
    [lasting, 0],
    [other, 1],
  ] as const) {
    expect(await asked(question, 80_000)).toEqual([1, false]);
    expect(await asked(question, 90_000)).toEqual([later, false]);
  }
  machine.forgetKeptAnswers();
  expect(await asked(lasting, 90_000)).toEqual([0, false]);
  expect(await asked(other, 90_000)).toEqual([1, false]);
});

test("an answer is kept its second whatever else is asked meanwhile, long after the boot, too", async () => {
  const tasks = exited(0, '"System","4"\n');
  const { calls, clock, ask } = windowsMachine({ tasklist: tasks, sc: exited(0, status(4, 0)), reg: exited(1) });
  clock.ms = 3_600_000;
  await ask({ ask: "processes" });
  await ask({ ask: "services", names: ["a"] });
  clock.ms += 500;
  await ask({ ask: "registry", key: "HKLM\\A" });
  clock.ms += 499;
  const before = calls.length;
  await ask({ ask: "processes" });
  await ask({ ask: "services", names: ["a"] });
  expect(calls.slice(before)).toEqual([]);
  clock.ms += 1;
  await ask({ ask: "processes" });
  expect(calls.slice(before)).toEqual(["tasklist /fo csv /nh"]);
});

test("a real Windows machine's programs are called by their paths, without a word about a folder that stands for it", async () => {
  const calls: unknown[] = [];
  const real = checkHost();
  const host: Host = {
    ...real,
    root: "C:\\",
    env: { SystemRoot: "D:\\Win" },
    platform: { ...real.platform, name: "windows" },
    run: (program, _, options) => {
      calls.push([program, options?.env]);
      return Promise.resolve(exited(1));
    },
  };
  const machine = createMachine(host, identity);
  await machine.answer({ ask: "processes" });
  await machine.answer({ ask: "services", names: ["kubelet"] });
  await machine.answer({ ask: "registry", key: "HKLM\\A" });
  expect(calls).toEqual(["tasklist", "sc", "reg"].map((name) => [`D:\\Win\\System32\\${name}.exe`, {}]));
});

test("a look that is the only one asks ahead what a failure needs, and no program twice", async () => {
  const calls: string[] = [];
  const real = checkHost();
  const status = " TYPE : 10\r\n STATE : 1 STOPPED\r\n WIN32_EXIT_CODE : 0\r\n";
  const key = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\cloudbase-init";
  const host: Host = {
    ...real,
    platform: { ...real.platform, name: "windows" },
    run: (program, args) => {
      calls.push([program, ...args].join(" "));
      if (program === "sc") return Promise.resolve(args[1] === "kubelet" ? exited(1060) : exited(0, status));
      return Promise.resolve(args[1] === key ? exited(0, "    Start    REG_DWORD    0x2\r\n") : exited(1));
    },
  };
  const machine = createMachine(host, identity, { expected: questionsOfOneLook });
  machine.begin();
  const begun = [...calls];
  const answer = await machine.answer({ ask: "services", names: ["cloudbase-init"] });
  const service = { kind: "service", state: "stopped", start: "automatic", exitCode: 0 };
  expect(answer).toEqual({ kind: "known", value: { "cloudbase-init": service } });
  expect(begun).toEqual([
    "sc query cloudbase-init",
    "reg query HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init /s",
    `reg query ${key}`,
    "sc query kubelet",
    "tasklist /fo csv /nh",
  ]);
  expect(calls).toEqual(begun);
});
