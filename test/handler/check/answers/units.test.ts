import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { RunResult } from "../../../../handler/process-port.ts";
import { exited, makeMachine, outcomes } from "./made-machine.ts";

const shown = (id: string, job = "") =>
  `Id=${id}\nLoadState=loaded\nActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainStatus=1\nNRestarts=7\nJob=${job}\n`;

test("units are shown in one call, with their restarts, and the kind of a queued job by a second one", async () => {
  const { put, ask } = makeMachine();
  put("run/systemd/system/x", "");
  put(
    "bin/systemctl",
    `#!/bin/sh\necho "$*" >>"$CAPZ_ROOT/calls"\ncase $1 in list-jobs) echo "42 cloud-final.service start waiting"; exit;; esac\nprintf '${shown("kubelet.service").replaceAll("\n", "\\n")}\\n${shown("cloud-final.service", "42").replaceAll("\n", "\\n")}'\n`,
    0o755,
  );
  const unit = {
    load: "loaded",
    active: "activating",
    sub: "auto-restart",
    result: "exit-code",
    exitStatus: 1,
    restarts: 7,
  };
  expect(await ask({ ask: "units", names: ["alias.service", "cloud-final.service"] })).toEqual({
    "alias.service": unit,
    "cloud-final.service": { ...unit, job: "start" },
  });
});

test.each([
  ["hangs", "#!/bin/sh\nexec sleep 30\n", "systemctl did not answer within"],
  ["fails", "#!/bin/sh\necho no bus >&2\nexit 1\n", "systemctl ended with 1"],
  ["shows something else", "#!/bin/sh\necho Id=x\n", "another number of units"],
])("units of a systemctl that %s cannot be told", async (_, script, why) => {
  const { put, ask } = makeMachine();
  put("run/systemd/system/x", "");
  put("bin/systemctl", script, 0o755);
  expect(await ask({ ask: "units", names: ["a.service", "b.service"] })).toContain(why);
});

test("without systemctl nothing can be told of units; without systemd there are none; under another manager it says so", async () => {
  const made = makeMachine();
  const question = { ask: "units", names: ["kubelet.service"] } as const;
  expect(await made.ask(question)).toMatchObject({ "kubelet.service": { load: "not-found", active: "inactive" } });
  made.put("run/systemd/system/x", "");
  made.machine.forgetKeptAnswers();
  expect(await made.ask(question)).toMatch(/^systemctl (?:could not be started|ended with)/u);
  const other = makeMachine();
  other.put("run/openrc/x", "");
  expect(await other.ask(question)).toMatchObject({ "kubelet.service": { load: "no-systemd" } });
});

test("what is no name of a unit never reaches systemctl", async () => {
  const { put, ask } = makeMachine();
  put("run/systemd/system/x", "");
  put("bin/systemctl", '#!/bin/sh\ntouch "$CAPZ_ROOT/called"\n', 0o755);
  for (const name of ["--root=/", "a b.service", "x", "*.service"]) {
    expect(await ask({ ask: "units", names: [name] })).toBe("these are not names of units");
  }
});

test("systemd is asked once for looks that follow each other closely, and anew when the sentinel has changed", async () => {
  const { put, machine, host } = makeMachine();
  put("run/systemd/system/x", "");
  put("bin/systemctl", `#!/bin/sh\necho >>"$CAPZ_ROOT/calls"\necho Id=a.service\n`, 0o755);
  const ask = () => machine.answer({ ask: "units", names: ["a.service"] });
  await ask();
  machine.beginLook();
  await ask();
  expect(machine.usedKeptAnswers()).toBe(true);
  machine.forgetKeptAnswers();
  machine.beginLook();
  await ask();
  expect(machine.usedKeptAnswers()).toBe(false);
  expect(execFileSync("wc", ["-l", join(host.root, "calls")], { encoding: "utf8" })).toMatch(/^2 /u);
});

/** A Linux machine in a folder, with systemd, whose systemctl says this. */
function systemdMachine(answers: Readonly<Record<string, RunResult>>) {
  const calls: string[] = [];
  const made = makeMachine({
    run: (program, args, options) => {
      calls.push([program, ...args].join(" "));
      expect(options).toMatchObject({ timeoutMs: 5000, env: { LC_ALL: "C" } });
      return Promise.resolve(answers[args[0] ?? ""] ?? exited(1));
    },
  });
  made.put("run/systemd/system/x", "");
  return { ...made, calls };
}

const plainUnit = { load: "loaded", active: "active", sub: "running", result: "success", exitStatus: 0 };
const unitText = (more: string) =>
  `Id=a.service\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\n${more}\n`;
const waiting = "ExecMainStatus=0\nJob=42";

test.each<[string, string, string, object]>([
  ["nothing more", unitText(""), "", plainUnit],
  ["blank lines around it", `\n\n${unitText("")}\n\n`, "", plainUnit],
  ["lines that are none", unitText("=x\nno line\nJob=0"), "", plainUnit],
  ["an exit code of several digits", unitText("ExecMainStatus=203"), "", { ...plainUnit, exitStatus: 203 }],
  ["an exit code below zero", unitText("ExecMainStatus=-1"), "", { ...plainUnit, exitStatus: -1 }],
  ["no restarts that were counted", unitText("NRestarts="), "", plainUnit],
  ["restarts", unitText("NRestarts=12"), "", { ...plainUnit, restarts: 12 }],
  ...["x", "x1", "1x", "12345678901", "[not set]"].map((text): [string, string, string, object] => [
    `${text} for numbers`,
    unitText(`ExecMainStatus=${text}\nNRestarts=${text}`),
    "",
    { ...plainUnit, restarts: 0 },
  ]),
  [
    "nothing at all",
    "Id=a.service",
    "",
    { load: "unknown", active: "unknown", sub: "unknown", result: "unknown", exitStatus: 0 },
  ],
  ["a job", unitText(waiting), "  42   a.service   start    waiting\n", { ...plainUnit, job: "start" }],
  ["a job of another unit", unitText(waiting), "43 b.service stop waiting", { ...plainUnit, job: "unknown" }],
  ["a job that is no more", unitText(waiting), "No a.service running.\n", { ...plainUnit, job: "unknown" }],
])("a unit is read of what systemctl shows: %s", async (...[, shownText, jobs, expected]) => {
  const { ask, calls } = systemdMachine({ show: exited(0, shownText), "list-jobs": exited(0, jobs) });
  expect(await ask({ ask: "units", names: ["a.service", "a.service"] })).toStrictEqual({ "a.service": expected });
  const properties = "Id,LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts,Job";
  expect(calls).toEqual([
    `systemctl show --property=${properties} -- a.service`,
    ...("job" in expected ? ["systemctl list-jobs --no-legend --no-pager --full"] : []),
  ]);
});

test.each<[string, Readonly<Record<string, RunResult>>, unknown]>([
  ["fails but shows the units", { show: exited(1, unitText("")) }, { "a.service": plainUnit }],
  ["succeeds and shows nothing else", { show: exited(0, unitText("")) }, { "a.service": plainUnit }],
  ["fails with blanks", { show: exited(1, " \n") }, "systemctl ended with 1"],
  [
    "shows two for one",
    { show: exited(0, `${unitText("")}\n\n\n${unitText("")}`) },
    "systemctl shows another number of units than it was asked for",
  ],
  ["shows no jobs", { show: exited(0, unitText(waiting)), "list-jobs": exited(4) }, "systemctl ended with 4"],
  ...outcomes.map(([name, result, why]): [string, Readonly<Record<string, RunResult>>, unknown] => [
    name,
    { show: result },
    `systemctl ${why}`,
  ]),
  [
    "does not answer",
    { show: { kind: "timed-out", stdout: Buffer.from(unitText("")), stderr: Buffer.alloc(0) } },
    "systemctl did not answer within 5000 ms",
  ],
])("of a systemctl that %s", async (_, answers, expected) => {
  expect(await systemdMachine(answers).ask({ ask: "units", names: ["a.service"] })).toEqual(expected);
});

test.each<[string, readonly string[], unknown, number]>([
  ["no unit", [], {}, 0],
  ["forty", Array.from({ length: 40 }, (_, index) => `u${String(index)}.service`), "systemctl ended with 1", 1],
  [
    "too many",
    Array.from({ length: 41 }, (_, index) => `u${String(index)}.service`),
    "these are not names of units",
    0,
  ],
  ...["--x", "a.service\nb", "a.servicex", "a.services", "-a.service", "a/b.service", `${"x".repeat(202)}.service`].map(
    (name): [string, readonly string[], unknown, number] => [
      name.slice(0, 12),
      ["a.service", name],
      "these are not names of units",
      0,
    ],
  ),
])("systemctl is asked of names of units alone: %s", async (...[, names, expected, count]) => {
  const { ask, calls } = systemdMachine({ show: exited(1) });
  expect(await ask({ ask: "units", names })).toEqual(expected);
  expect(calls).toHaveLength(count);
});
