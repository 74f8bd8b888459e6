import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createMachine, type Machine } from "../../../../handler/check/answers/answer-questions.ts";
import { answerHealthz } from "../../../../handler/check/answers/healthz-answer.ts";
import { allMountsAreLocal } from "../../../../handler/check/answers/local-mounts.ts";
import { parseKey } from "../../../../handler/check/answers/registry-answers.ts";
import { parseNumbers } from "../../../../handler/check/answers/service-answers.ts";
import type { Host } from "../../../../handler/host.ts";
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
