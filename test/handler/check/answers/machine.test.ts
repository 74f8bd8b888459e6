import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createMachine, type Machine } from "../../../../handler/check/answers/answer-questions.ts";
import { createAhead, firstQuestions } from "../../../../handler/check/answers/ask-ahead.ts";
import { answerBoot } from "../../../../handler/check/answers/boot-answer.ts";
import { answerHealthz } from "../../../../handler/check/answers/healthz-answer.ts";
import { allMountsAreLocal } from "../../../../handler/check/answers/local-mounts.ts";
import { answerMachine } from "../../../../handler/check/answers/machine-answer.ts";
import { placePath, rememberPlaces } from "../../../../handler/check/answers/place-path.ts";
import { windowsEvidence } from "../../../../handler/diagnosis/evidence-windows.ts";
import { keyInTree, parseKey } from "../../../../handler/check/answers/registry-answers.ts";
import { parseNumbers } from "../../../../handler/check/answers/service-answers.ts";
import type { Host } from "../../../../handler/host.ts";
import type { RunResult } from "../../../../handler/process-port.ts";
import type { Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";
import { startHttpServer, ok } from "../../../support/http-server.ts";

const identity = { vmId: "vm-1", bootId: "boot-1" };

interface Made {
  readonly host: Host;
  readonly machine: Machine;
  put(path: string, text: string, mode?: number): string;
  ask(question: Question): Promise<unknown>;
}

/** A machine in a folder whose programs are the shell scripts that a test puts into `bin`. */
function makeMachine(change: Partial<Host> = {}): Made {
  const real = checkHost();
  const bin = join(real.root, "../", `${real.root.split("/").at(-1) ?? ""}-bin`);
  mkdirSync(bin);
  const host: Host = {
    ...real,
    run: (file, args, options) =>
      real.run(file, args, { ...options, timeoutMs: 500, env: { ...options?.env, PATH: `${bin}:/usr/bin:/bin` } }),
    ...change,
  };
  const machine = createMachine(host, identity);
  return {
    host,
    machine,
    put(path, text, mode = 0o644) {
      const file = path.startsWith("bin/") ? join(bin, path.slice(4)) : join(host.root, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    },
    async ask(question) {
      const answer = await machine.answer(question);
      return answer.kind === "known" ? answer.value : answer.why;
    },
  };
}

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

test.each(["sys/fs/cgroup", "sys/fs/cgroup/systemd"])(
  "processes of a unit are found below %s, with their age",
  async (hierarchy) => {
    const { put, ask } = makeMachine();
    put("proc/uptime", "100.50 1.0\n");
    put(`${hierarchy}/system.slice/cloud-final.service/cgroup.procs`, "7\n9\n");
    put(`${hierarchy}/system.slice/cloud-final.service/below/cgroup.procs`, "8\n");
    put("proc/7/stat", "7 (kube) adm (x) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 2650 1 1\n");
    put("proc/8/stat", "8 (curl) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 10050 1 1\n");
    put("proc/9/stat", "9 (gone) Z 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 100 1 1\n");
    put("proc/10/stat", "10 (other) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 100 1 1\n");
    const seen = [
      { name: "kube) adm (x", ageMs: 74_000 },
      { name: "curl", ageMs: 0 },
    ];
    expect(await ask({ ask: "processes", unit: "cloud-final.service" })).toEqual(seen);
    expect(await ask({ ask: "processes", unit: "none.service" })).toEqual([]);
    expect(await ask({ ask: "processes" })).toEqual([{ name: "other", ageMs: 99_500 }, ...seen]);
  },
);

test("boot, machine and time are told as the machine keeps them", async () => {
  const { put, ask, host } = makeMachine({ now: () => new Date(5000), monotonicMs: () => 7 });
  expect(await ask({ ask: "boot" })).toContain("is not known");
  put("proc/uptime", "12.34 1.0\n");
  put("proc/mounts", "tmpfs /run tmpfs rw 0 0\n/dev/sdb1 /run ext4 rw 0 0\n");
  expect(await ask({ ask: "boot" })).toEqual({ id: "boot-1", uptimeMs: 12_340, runIsMemory: false });
  put("proc/sys/kernel/hostname", "worker-1\n");
  expect(await ask({ ask: "machine" })).toEqual({ vmId: "vm-1", hostName: "worker-1" });
  expect(await ask({ ask: "time" })).toEqual({ wallMs: 5000, monotonicMs: 7 });
  expect(host.root).not.toBe("/");
});

test("a certificate tells its names and dates; a half of one, and something else, are unreadable", async () => {
  const { put, ask } = makeMachine();
  const key = put("pki/key.pem", "");
  const pem = put("pki/client.pem", "");
  const subject = "/O=system:nodes/O=more/CN=system:node:worker-1";
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj", subject, "-keyout", key, "-out", pem],
    { stdio: "ignore" },
  );
  const text = execFileSync("cat", [key, pem], { encoding: "utf8" });
  put("pki/client.pem", text);
  const answer = await ask({ ask: "certificate", path: "/pki/client.pem" });
  expect(answer).toMatchObject({
    kind: "certificate",
    commonName: "system:node:worker-1",
    organizations: ["system:nodes", "more"],
    issuer: "system:node:worker-1",
  });
  const { notBeforeMs = 0, notAfterMs = 0 } = answer as { notBeforeMs?: number; notAfterMs?: number };
  expect(notAfterMs - notBeforeMs).toBe(3 * 86_400_000);
  put("pki/half.pem", text.slice(0, text.indexOf("BEGIN CERT") + 200));
  put("pki/empty.pem", "");
  for (const path of ["/pki/half.pem", "/pki/empty.pem"]) {
    expect(await ask({ ask: "certificate", path })).toEqual({ kind: "unreadable" });
  }
  expect(await ask({ ask: "certificate", path: "/pki/none.pem" })).toEqual({ kind: "absent" });
  expect(await ask({ ask: "certificate", path: "/pki" })).toBe("it is not a regular file");
});

test("healthz is asked of this machine, and its answer is a status, a refusal or nothing", async () => {
  const server = await startHttpServer();
  server.answer("/healthz", ok("ok"));
  const port = Number(new URL(server.origin).port);
  const host = checkHost();
  expect(await answerHealthz(host, port)).toEqual({ kind: "known", value: { kind: "status", status: 200 } });
  await server.close();
  expect(await answerHealthz(host, port)).toEqual({ kind: "known", value: { kind: "refused" } });
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  const silentPort = typeof address === "object" ? (address?.port ?? 0) : 0;
  expect(await answerHealthz(host, silentPort, 50)).toEqual({ kind: "known", value: { kind: "no-answer" } });
  silent.close();
  expect((await answerHealthz(host, 0)).kind).toBe("cannot-tell");
  expect(await makeMachine().ask({ ask: "healthz", port })).toBe("only a running machine has ports");
});

test("files are asked for directly only where every file system is local", () => {
  const { put } = makeMachine();
  const line = (point: string, type: string) => `22 1 8:1 / ${point} rw,relatime shared:1 - ${type} /dev/sda1 rw\n`;
  const local = line("/", "ext4") + line("/run", "tmpfs") + line("/proc/sys/fs/binfmt_misc", "autofs");
  expect(allMountsAreLocal(put("mounts/local", local))).toBe(true);
  for (const type of ["nfs4", "cifs", "fuse.blobfuse2", "autofs", "ceph", "9p"]) {
    expect(allMountsAreLocal(put("mounts/other", local + line("/mnt/x", type)))).toBe(false);
  }
  expect(allMountsAreLocal("/no/such/list")).toBe(false);
});

test("of sc.exe nothing but the numbers is read, in their order", () => {
  const query =
    "\r\nDIENSTNAME: x\r\n        TYP      : 20  WIN32\r\n        STATUS   : 2  START_PENDING\r\n                (NOT_STOPPABLE)\r\n        WIN32_EXITCODE : 1067  (0x42b)\r\n";
  expect(parseNumbers(query)).toEqual([0x20, 2, 1067]);
  const ofWine =
    "SERVICE_NAME: x\r\n        TYPE               : 10  WIN32_OWN_PROCESS\r\n        STATE              : 1  STOPPED\r\n        WIN32_EXIT_CODE    : 1077  (0x435)\r\n        SERVICE_EXIT_CODE  : 0  (0x0)\r\n";
  expect(parseNumbers(ofWine)).toEqual([0x10, 1, 1077]);
  expect(parseNumbers("")).toEqual([]);
});

test("of reg.exe the values of a key and the names of the keys below are read", () => {
  const output =
    "\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\A B\r\n    (Standard)    REG_SZ    (Wert nicht festgelegt)\r\n    InstallDate    REG_DWORD    0x6570e1c0\r\n    A name    REG_SZ    one    two\r\n    Empty    REG_SZ\r\n\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\A B\\Sub key\r\n";
  expect(parseKey(output, "HKLM\\SOFTWARE\\A B")).toEqual({
    values: { "(Standard)": "(Wert nicht festgelegt)", InstallDate: "1701896640", "A name": "one    two", Empty: "" },
    subkeys: ["Sub key"],
  });
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

/** A server that says this to whoever connects, then keeps the line open, closes it or breaks it. */
async function serving(
  {
    address = "127.0.0.1",
    port = 0,
    then = "open",
  }: { address?: string; port?: number; then?: "open" | "end" | "reset" },
  said: readonly string[],
) {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      heard.push(chunk.toString());
      void (async () => {
        for (const part of said) {
          socket.write(part);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (then === "end") socket.end();
        if (then === "reset") socket.resetAndDestroy();
      })();
    });
  }).listen(port, address);
  await new Promise((resolve) => server.once("listening", resolve));
  const bound = server.address();
  return { port: typeof bound === "object" ? (bound?.port ?? 0) : 0, heard, server };
}

test.each<[string, readonly string[], "open" | "end" | "reset", unknown]>([
  ["a status", ["HTTP/1.1 200 OK\r\n"], "open", { kind: "status", status: 200 }],
  ["an old form", ["HTTP/1.0 503 Unavailable\n"], "open", { kind: "status", status: 503 }],
  ["a status without a word", ["HTTP/1.1 401\r\n"], "open", { kind: "status", status: 401 }],
  ["pieces", ["HT", "TP/1.1 20", "0 OK\r", "\n"], "open", { kind: "status", status: 200 }],
  ["a line that ends with the connection", ["HTTP/1.1 204 No"], "end", { kind: "status", status: 204 }],
  ["another version", ["HTTP/2 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["something in front", ["xHTTP/1.1 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["a status in the second line", ["x\r\nHTTP/1.1 200 OK\r\n"], "open", { kind: "no-answer" }],
  ["a status that there is not", ["HTTP/1.1 600 X\r\n"], "open", { kind: "no-answer" }],
  ["too long a status", ["HTTP/1.1 2000 X\r\n"], "open", { kind: "no-answer" }],
  ["nothing", [], "end", { kind: "no-answer" }],
  ["a line without an end", ["x".repeat(2000)], "open", { kind: "no-answer" }],
  ["a broken connection", ["HTTP/1.1 2"], "reset", { kind: "no-answer" }],
])("healthz of a port that says %s", async (...[, said, then, value]) => {
  const { port, heard, server } = await serving({ then }, said);
  expect(await answerHealthz(checkHost(), port, 60_000)).toEqual({ kind: "known", value });
  expect(heard.join("")).toMatch(/^GET \/healthz HTTP\/1\.1\r\nHost: 127\.0\.0\.1\r\n(?:.+\r\n)*\r\n$/u);
  server.close();
});

test("healthz is asked on ::1 where 127.0.0.1 refuses, as a kubelet of a cluster with IPv6 alone answers", async () => {
  const { port, server } = await serving({ address: "::1" }, ["HTTP/1.1 200 OK\r\n\r\nok"]);
  expect(await answerHealthz(checkHost(), port)).toEqual({ kind: "known", value: { kind: "status", status: 200 } });
  server.close();
  const odd = await serving({ address: "::1" }, ["no HTTP\r\n"]);
  expect(await answerHealthz(checkHost(), odd.port)).toEqual({ kind: "known", value: { kind: "refused" } });
  odd.server.close();
  const both = await serving({}, ["no HTTP\r\n"]);
  const other = await serving({ address: "::1", port: both.port }, ["HTTP/1.1 200 OK\r\n"]);
  expect(await answerHealthz(checkHost(), both.port)).toEqual({ kind: "known", value: { kind: "no-answer" } });
  expect(other.heard).toEqual([]);
  both.server.close();
  other.server.close();
});

test.each([0, -1, 1.5, 65_536, Number.NaN])("%d is no port that could be asked", async (port) => {
  expect(await answerHealthz(checkHost(), port)).toEqual({ kind: "cannot-tell", why: "it is not a port" });
});

test("healthz waits three seconds and leaves neither a wait nor a connection behind", async () => {
  const waits: (readonly [number, AbortSignal | undefined])[] = [];
  const sleep: Host["sleep"] = (ms, signal) => {
    waits.push([ms, signal]);
    return new Promise(() => undefined);
  };
  const { port, server } = await serving({}, ["HTTP/1.1 200 OK\r\n"]);
  const closed = new Promise((resolve) =>
    server.on("connection", (socket) => {
      socket.on("close", resolve);
    }),
  );
  expect(await answerHealthz({ sleep }, port)).toMatchObject({ kind: "known" });
  expect(waits.map(([ms, signal]) => [ms, signal?.aborted])).toEqual([[3000, true]]);
  await closed;
  server.close();
  for (const limit of [1, 65_535])
    expect(await answerHealthz(checkHost(), limit)).toEqual({ kind: "known", value: { kind: "refused" } });
});

const exited = (code: number, text = ""): RunResult => ({
  kind: "exited",
  code,
  stdout: Buffer.from(text),
  stderr: Buffer.alloc(0),
});

/** A Windows machine whose programs say this; the real ones run under Wine in the lanes. */
function windowsMachine(answers: Readonly<Record<string, RunResult>>) {
  const real = checkHost();
  const calls: string[] = [];
  const clock = { ms: 0 };
  const host: Host = {
    ...real,
    platform: { ...real.platform, name: "windows" },
    monotonicMs: () => clock.ms,
    now: () => new Date(100_000),
    run: (program, args, options) => {
      calls.push([program, ...args].join(" "));
      expect(options).toMatchObject({
        timeoutMs: ["tasklist", "wmic"].includes(program) ? 20_000 : 10_000,
        env: { CAPZ_ROOT: real.root },
      });
      return Promise.resolve(answers[[program, ...args].join(" ")] ?? answers[program] ?? exited(1));
    },
  };
  const machine = createMachine(host, identity);
  const ask = async (question: Question) => {
    const answer = await machine.answer(question);
    return answer.kind === "known" ? answer.value : answer.why;
  };
  return { machine, calls, clock, ask, host };
}

const status = (state: number, exitCode: number) =>
  `\r\nSERVICE_NAME: x\r\n TYPE : 10  A\r\n STATE : ${String(state)}  B\r\n WIN32_EXIT_CODE : ${String(exitCode)}  (0x0)\r\n`;
const startKey = "reg query HKLM\\SYSTEM\\CurrentControlSet\\Services\\kubelet";
const startOf = (number: string) => `\r\nHKEY_LOCAL_MACHINE\\X\r\n    Start    REG_DWORD    ${number}\r\n`;
const outcomes: readonly (readonly [string, RunResult, string])[] = [
  ["does not start", { kind: "not-started", reason: "no such program" }, "could not be started: no such program"],
  [
    "is ended",
    { kind: "signalled", signal: "SIGKILL", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) },
    "was ended by SIGKILL",
  ],
  ["fails", exited(5), "ended with 5"],
];

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

test("processes, the host name and a key of Windows are read whatever the line ends are", async () => {
  const tasks = '"System","4","Services","0","144 K"\r\n"kube let.exe","77","x","0","1 K"\n"","5"\nx"a","6"\n"b","c"\n';
  const key = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";
  const name = "\r\nHKEY\r\n    Hostname    REG_SZ    worker-1\r\n";
  const { ask, calls } = windowsMachine({ tasklist: exited(0, tasks), [`reg query ${key}`]: exited(0, name) });
  const seen = [
    { name: "System", ageMs: 0 },
    { name: "kube let.exe", ageMs: 0 },
  ];
  expect(await ask({ ask: "processes" })).toEqual(seen);
  expect(calls).toEqual(["tasklist /fo csv /nh"]);
  expect(await ask({ ask: "machine" })).toEqual({ vmId: "vm-1", hostName: "worker-1" });
  expect(await ask({ ask: "registry", key })).toEqual({
    kind: "values",
    values: { Hostname: "worker-1" },
    subkeys: [],
  });
  const many = Array.from({ length: 2001 }, (_, pid) => `"p","${String(pid)}"`).join("\n");
  expect(await windowsMachine({ tasklist: exited(0, many) }).ask({ ask: "processes" })).toHaveLength(2000);
  const none = windowsMachine({ tasklist: exited(0, "INFO: none"), reg: exited(0, name.replace("worker-1", "")) });
  expect(await none.ask({ ask: "processes" })).toBe("tasklist.exe names no process");
  expect(await none.ask({ ask: "machine" })).toBe("the host name is not known");
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
  expect(await asked(plugins, clock.ms + 1000)).toEqual([1, false]);
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

test.each([
  ["/etc/x", "etc/x"],
  ["C:\\run\\x/y", "run/x/y"],
  ["d:/run/x", "run/x"],
  ["/etc/a\\b", "etc/a\\b"],
  [
    `/${"x".repeat(255)}/${"y".repeat(255)}/${"z".repeat(255)}/${"w".repeat(255)}`,
    `${"x".repeat(255)}/${"y".repeat(255)}/${"z".repeat(255)}/${"w".repeat(255)}`,
  ],
  ["xC:\\run", undefined],
  ["1:\\run", undefined],
  ["/etc/../x", undefined],
  ["C:\\run\\..\\x", undefined],
  [`/${"x".repeat(1024)}`, undefined],
  ["/a\0", undefined],
  ["/a\n", "a\n"],
])("the path %j lies below a root, or nowhere", (asked, below) => {
  const { root } = checkHost();
  const place = below === undefined ? undefined : { path: join(root, below), isMemory: false };
  expect(placePath(asked, root)).toEqual(place);
  const known = rememberPlaces();
  expect([placePath(asked, root, known), placePath(asked, root, known)]).toEqual([place, place]);
});

test.each([
  ["/proc/uptime", true],
  ["/sys/x", true],
  ["/run/x", true],
  ["/etc/run/x", false],
  ["/runs/x", false],
])("on the running machine %s is kernel memory: %s", (asked, isMemory) => {
  expect(placePath(asked, "/")).toEqual({ path: asked, isMemory });
});

test.each([
  ["tmpfs", "tmpfs /run tmpfs rw 0 0", true],
  ["ramfs", "none /run ramfs rw 0 0", true],
  ["a disk", "/dev/sda1 /run ext4 rw 0 0", false],
  ["a disk over tmpfs", "tmpfs /run tmpfs rw 0 0\n/dev/sda1 /run ext4 rw 0 0\ntmpfs /run/lock tmpfs rw 0 0", false],
  ["nothing of its own", "tmpfs /tmp tmpfs rw 0 0", false],
  ["what nobody tells", undefined, undefined],
])("a /run on %s is memory: %s", async (_, mounts, runIsMemory) => {
  const { put, ask } = makeMachine();
  put("proc/uptime", "1.0 1.0\n");
  if (mounts !== undefined) put("proc/mounts", `${mounts}\n`);
  const boot = { id: "boot-1", uptimeMs: 1000 };
  expect(await ask({ ask: "boot" })).toEqual(runIsMemory === undefined ? boot : { ...boot, runIsMemory });
});

test("a Windows machine in a folder tells its uptime by the file of it, and nothing of /run", async () => {
  const { ask, host } = windowsMachine({});
  expect(await ask({ ask: "boot" })).toBe("how long this machine runs is not known");
  mkdirSync(join(host.root, "proc"));
  writeFileSync(join(host.root, "proc/uptime"), "2.5 1.0\n");
  writeFileSync(join(host.root, "proc/mounts"), "tmpfs /run tmpfs rw 0 0\n");
  expect(await ask({ ask: "boot" })).toEqual({ id: "boot-1", uptimeMs: 2500 });
});

test("processes are told of numbers alone, and of what says whole who it is and still runs", async () => {
  const { put, ask } = makeMachine();
  expect(await ask({ ask: "processes" })).toBe("/proc/uptime cannot be read");
  put("proc/uptime", "100 1.0\n");
  const stat = (name: string, state = "S") => `7 ${name} ${state} 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n`;
  put("proc/7/stat", stat("(one)"));
  put("proc/8/stat", stat("(dead)", "X"));
  put("proc/9/stat", stat("none"));
  put("proc/10/stat", stat(")odd("));
  put("proc/11/stat", stat("()"));
  put("proc/x7/stat", stat("(of no number)"));
  put("proc/7x/stat", stat("(of no number)"));
  put("proc/12/other", "");
  const one = { name: "one", ageMs: 1000 };
  const all = (await ask({ ask: "processes" })) as readonly { readonly name: string }[];
  expect(all.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([{ name: "", ageMs: 1000 }, one]);
  put("sys/fs/cgroup/system.slice/a.service/cgroup.procs", "7\nx7\n7x\n\n0x7\n");
  put("sys/fs/cgroup/system.slice/a.service/below/cgroup.procs/of/a/folder", "");
  put("sys/fs/cgroup/system.slice/deep.service/1/2/cgroup.procs", "7\n");
  put("sys/fs/cgroup/system.slice/deep.service/1/2/3/cgroup.procs", "11\n");
  expect(await ask({ ask: "processes", unit: "a.service" })).toEqual([one]);
  expect(await ask({ ask: "processes", unit: "deep.service" })).toEqual([one]);
  for (const unit of ["../a", "", "a b", "-a", "a/b", "x".repeat(202)])
    expect(await ask({ ask: "processes", unit })).toBe("it is not the name of a unit");
});

const ourMounts =
  "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n26 25 8:17 / /var/lib/kubelet rw - ext4 /dev/sdb1 rw\n";
const container =
  "812 790 0:58 / / rw - overlay overlay rw\n813 812 8:1 /var/lib/docker/1/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n";
const begun = (...args: readonly string[]): string => [...args, ""].join("\0");

test.each<readonly [what: string, args: string, mounts: string | undefined, told: object]>([
  [
    "that joins",
    begun("kubeadm", "join", "10.0.0.4:6443", "--token", "abcdef.0123456789abcdef"),
    undefined,
    { command: "join" },
  ],
  [
    "behind flags",
    begun("/usr/bin/kubeadm", "-v", "5", "--v=6", "init", "phase", "certs"),
    undefined,
    { command: "init" },
  ],
  [
    "run by a script of its name",
    begun("/bin/sh", "/usr/local/bin/kubeadm", "upgrade", "node"),
    undefined,
    { command: "upgrade" },
  ],
  ["that takes a node apart", begun("kubeadm", "reset"), undefined, { command: "reset" }],
  ["that asks", begun("kubeadm", "token", "list"), undefined, { command: "token" }],
  ["that pulls images", begun("kubeadm", "config", "images", "pull"), undefined, { command: "config images pull" }],
  ["that lists images", begun("kubeadm", "config", "images", "list"), undefined, { command: "config" }],
  ["with two words that say different things", begun("kubeadm", "version", "join"), undefined, { command: "join" }],
  ["whose value is a word of kubeadm's", begun("kubeadm", "--kubeconfig", "/root/a", "version"), undefined, {}],
  ["of a word that nobody knows", begun("kubeadm", "abcdef.0123456789abcdef"), undefined, {}],
  ["of no word", begun("kubeadm"), undefined, {}],
  ["that names itself otherwise", begun("runs kubeadm join"), undefined, {}],
  ["in a container", begun("kubeadm", "init"), container, { command: "init", elsewhere: true }],
  ["in a container without arguments that can be read", "", container, { elsewhere: true }],
  ["on this machine", begun("kubeadm", "join"), ourMounts, { command: "join" }],
  [
    "in a container with this machine's folder of the kubelet",
    begun("kubeadm", "join"),
    `${container}814 812 8:17 / /var/lib/kubelet rw - ext4 /dev/sdb1 rw\n`,
    { command: "join" },
  ],
  [
    "in a container that has this machine's root below its own",
    begun("kubeadm", "join"),
    "812 790 0:58 / / rw - overlay overlay rw\n813 812 8:1 / / rw - ext4 /dev/sda1 rw\n",
    { command: "join" },
  ],
  [
    "in a container with this machine's /etc under its own, which lies on top",
    begun("kubeadm", "join"),
    "812 790 8:1 / / rw - ext4 /dev/sda1 rw\n813 812 0:58 / /etc rw - overlay overlay rw\n814 812 0:59 / /var rw - overlay overlay rw\n",
    { command: "join", elsewhere: true },
  ],
  [
    "that goes to this machine's root by itself",
    begun("kubeadm", "join", "--rootfs=/host"),
    container,
    { command: "join" },
  ],
  [
    "in a root that is no mount",
    begun("kubeadm", "join"),
    "813 812 0:5 / /proc rw - proc proc rw\n",
    { command: "join" },
  ],
])("of a kubeadm %s no more is told than what it does and where", async (...[, args, mounts, told]) => {
  const { put, ask } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/self/mountinfo", ourMounts);
  put("proc/7/stat", "7 (kubeadm) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n");
  put("proc/7/cmdline", args);
  if (mounts !== undefined) put("proc/7/mountinfo", mounts);
  const seen = (await ask({ ask: "processes" })) as readonly object[];
  expect(seen).toEqual([{ name: "kubeadm", ageMs: 1000, ...told }]);
});

test("where /etc/kubernetes has two names nothing tells where a kubeadm in a container writes; of other processes nothing is read", async () => {
  const { put, ask, host } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/self/mountinfo", ourMounts);
  for (const [pid, name] of [
    ["7", "kubeadm"],
    ["8", "vi"],
  ] as const) {
    put(`proc/${pid}/stat`, `${pid} (${name}) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n`);
    put(`proc/${pid}/cmdline`, begun(name, "join"));
    put(`proc/${pid}/mountinfo`, container);
  }
  mkdirSync(join(host.root, "etc"), { recursive: true });
  symlinkSync("../mnt/kubernetes", join(host.root, "etc/kubernetes"));
  const seen = (await ask({ ask: "processes" })) as readonly { readonly name: string }[];
  expect(seen.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: "kubeadm", ageMs: 1000, command: "join" },
    { name: "vi", ageMs: 1000 },
  ]);
});

const taskOfKubeadm = '"System","4"\r\n"kubeadm.exe","77"\r\n';
const wmicTable = (...rows: readonly (readonly [string, string])[]): string =>
  [["CommandLine", "CreationDate"] as const, ...rows]
    .map(([line, date]) => `${line.padEnd(80)}  ${date.padEnd(25)}  77  \r\r\n`)
    .join("")
    .replace("  77  ", "  ProcessId  ");

test.each<readonly [what: string, wmic: RunResult | undefined, told: object]>([
  [
    "a table",
    exited(0, wmicTable(['"C:\\k\\kubeadm.exe"  join 10.0.0.4:6443 --token a.b', "19700101000050.000000+000"])),
    { ageMs: 50_000, command: "join" },
  ],
  [
    "a time before the boot",
    exited(0, wmicTable(["kubeadm.exe version", "19691231000000.000000+000"])),
    { ageMs: 90_000, command: "version" },
  ],
  [
    "a time to come",
    exited(0, wmicTable(["kubeadm.exe token list", "19700102000000.000000+000"])),
    { ageMs: 0, command: "token" },
  ],
  ["neither arguments nor time", exited(0, wmicTable(["", ""])), { ageMs: 0 }],
  ["more than tasklist", exited(0, wmicTable(["kubeadm.exe version", ""], ["kubeadm.exe version", ""])), { ageMs: 0 }],
  ["nothing", exited(0, "No Instance(s) Available.\r\n"), { ageMs: 0 }],
  ["an error", exited(44, wmicTable(["kubeadm.exe version", ""])), { ageMs: 0 }],
  ["that it is not there", undefined, { ageMs: 0 }],
])("a kubeadm of Windows is told by WMIC, which says %s", async (_, wmic, told) => {
  const { ask, calls, host } = windowsMachine({
    tasklist: exited(0, taskOfKubeadm),
    ...(wmic !== undefined && { wmic }),
  });
  mkdirSync(join(host.root, "proc"), { recursive: true });
  writeFileSync(join(host.root, "proc/uptime"), "90.0 1.0\n");
  expect(await ask({ ask: "processes" })).toEqual([
    { name: "System", ageMs: 0 },
    { name: "kubeadm.exe", ...told },
  ]);
  expect(calls[1]).toBe("wmic process where name='kubeadm.exe' get CommandLine,CreationDate,ProcessId");
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

test.each([
  [" A : zz\n B : y 12\n", [Number.NaN, Number.NaN]],
  [" A : 10\n B : 0x10 C\n C : 10\n D : 1\n", [16, 16, 10]],
  ["A : 10\n : 7\n no colon\n", [7]],
])("of %j of sc.exe the numbers are %j", (text, numbers) => {
  expect(parseNumbers(text)).toEqual(numbers);
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

test("the running machine's name is its own; that of a copy the kernel's, else that of its file", async () => {
  const { put, ask, host } = makeMachine();
  const none = { run: host.run, program: "reg", env: {} };
  expect(await answerMachine({ root: "/", platform: host.platform }, identity, none)).toEqual({
    kind: "known",
    value: { vmId: "vm-1", hostName: hostname() },
  });
  expect(await ask({ ask: "machine" })).toBe("the host name is not known");
  put("etc/hostname", " worker-2 \nmore\n");
  expect(await ask({ ask: "machine" })).toEqual({ vmId: "vm-1", hostName: "worker-2" });
  put("proc/sys/kernel/hostname", "worker-1\n");
  expect(await ask({ ask: "machine" })).toEqual({ vmId: "vm-1", hostName: "worker-1" });
  expect(await windowsMachine({ reg: exited(1) }).ask({ ask: "machine" })).toBe("the host name is not known");
});

test("Windows counts its monotonic clock from the boot; of Linux the kernel tells", () => {
  const { platform } = checkHost();
  const view = { root: "/", monotonicMs: () => 7 };
  expect(answerBoot({ ...view, platform: { ...platform, name: "windows" } }, identity)).toStrictEqual({
    kind: "known",
    value: { id: "boot-1", uptimeMs: 7 },
  });
  expect(answerBoot({ ...view, platform }, identity)).not.toMatchObject({ value: { uptimeMs: 7 } });
});

test("each question about a file is answered as it was asked", async () => {
  const { put, ask } = makeMachine();
  put("etc/one", "first\nsecond\n");
  put("etc/two", "");
  const path = "/etc/one";
  expect(await ask({ ask: "path", path })).toMatchObject({ kind: "file", size: 13 });
  expect(await ask({ ask: "text", path, maxBytes: 5 })).toEqual({ kind: "text", text: "first", cut: true });
  expect(await ask({ ask: "mentions", path, words: ["second", "third"] })).toEqual({
    kind: "mentions",
    words: ["second"],
  });
  expect(await ask({ ask: "log", path, maxBytes: 8 })).toEqual({ kind: "text", text: "second\n", cut: true });
  expect(await ask({ ask: "names", folder: "/etc" })).toEqual({ kind: "names", names: ["one", "two"] });
  expect(await ask({ ask: "certificate", path })).toEqual({ kind: "unreadable" });
  expect(await ask({ ask: "certificate", path: "etc/one" })).toContain("it is not an absolute path");
  expect(await ask({ ask: "certificate", path: `/${"x".repeat(300)}` })).toBe("ENAMETOOLONG");
});

test("a machine asks its files through the gate that it is given", async () => {
  const { host, put } = makeMachine();
  put("etc/one", "x");
  let passed = 0;
  const gate = {
    pass: <Value>(work: () => Promise<Value>) => {
      passed += 1;
      return work();
    },
  };
  const machine = createMachine(host, identity, { gate });
  expect(machine.usedKeptAnswers()).toBe(false);
  await machine.answer({ ask: "path", path: "/etc/one" });
  await machine.answer({ ask: "certificate", path: "/etc/one" });
  machine.beginLook();
  await machine.answer({ ask: "text", path: "/etc/one" });
  expect(passed).toBe(3);
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

test("a link in a copied machine stays within it, and one in a circle leads nowhere", () => {
  const { root } = checkHost();
  mkdirSync(join(root, "etc"));
  symlinkSync("/outside", join(root, "etc/link"));
  symlinkSync("circle", join(root, "etc/circle"));
  symlinkSync("/outside/link", join(root, "etc/same"));
  symlinkSync("/elsewhere/same", join(root, "etc/link-2"));
  const known = rememberPlaces();
  for (const places of [undefined, known, known]) {
    const place = (asked: string) => placePath(asked, root, places)?.path;
    expect(place("/etc/link/x")).toBe(join(root, "outside/x"));
    expect(place("/etc/link/y")).toBe(join(root, "outside/y"));
    // A link that is the last name leads to another folder than its own.
    expect(place("/etc/link")).toBe(join(root, "outside"));
    expect(place("/etc/same")).toBe(join(root, "outside/link"));
    expect(place("/etc/link-2/z")).toBe(join(root, "elsewhere/same/z"));
    expect(place("/etc/circle")).toBeUndefined();
    expect(place("/etc/circle/x")).toBeUndefined();
  }
});

test("a unit whose processes lie in systemd's own hierarchy alone is found there", async () => {
  const { put, ask } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/17/stat", "17 (one) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n");
  put("sys/fs/cgroup/system.slice/other.service/cgroup.procs", "");
  put("sys/fs/cgroup/systemd/system.slice/a.service/cgroup.procs", "17\n");
  expect(await ask({ ask: "processes", unit: "a.service" })).toEqual([{ name: "one", ageMs: 1000 }]);
});

test("a certificate of odd names is told, too", async () => {
  const { put, ask } = makeMachine();
  const files = [put("pki/key.pem", ""), put("pki/odd.pem", "")] as const;
  const make = (subject: string) =>
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject].concat([
        "-keyout",
        files[0],
        "-out",
        files[1],
      ]),
      { stdio: "ignore" },
    );
  make("/O=a, b/OU=c");
  expect(await ask({ ask: "certificate", path: "/pki/odd.pem" })).toMatchObject({
    commonName: "",
    organizations: ["a, b"],
    issuer: expect.stringMatching(/^O=a\\?, b, OU=c$/u),
  });
  make("/CN=a;b=c");
  expect(await ask({ ask: "certificate", path: "/pki/odd.pem" })).toMatchObject({
    commonName: "a;b=c",
    organizations: [],
    issuer: "a;b=c",
  });
});

test("a look at Windows begins what the one before it asked of programs, and the list of processes with the first services of a node", async () => {
  const asked: string[] = [];
  let near = 0;
  const ask = (question: Question) => {
    asked.push("key" in question ? question.key : "names" in question ? question.names.join() : question.ask);
    return Promise.resolve({ kind: "cannot-tell", why: "" } as const);
  };
  const ahead = createAhead(firstQuestions, () => {
    near += 1;
  });
  const look = async (...questions: readonly Question[]) => {
    asked.length = 0;
    ahead.beginLook();
    for (const question of questions) await ahead.answer(question, ask);
    return [...asked];
  };
  const [service, plugins] = firstQuestions as readonly [Question, Question];
  const kubelet = { ask: "services", names: ["kubelet"] } as const;
  const root = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
  expect(await look(service)).toEqual(["cloudbase-init", root]);
  expect(await look(service)).toEqual(["cloudbase-init"]);
  expect(await look()).toEqual([]);
  expect(near).toBe(0);
  expect(await look(service, plugins, kubelet)).toEqual(["cloudbase-init", root, "kubelet", "processes"]);
  expect(near).toBe(1);
  expect(await look(service, plugins, kubelet)).toEqual(["cloudbase-init", root, "kubelet"]);
  expect(near).toBe(1);
  await look(service, plugins, kubelet, { ask: "processes" });
  expect(near).toBe(2);
});
