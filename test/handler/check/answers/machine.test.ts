import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createMachine } from "../../../../handler/check/answers/answer-questions.ts";
import { createAhead, firstQuestions } from "../../../../handler/check/answers/ask-ahead.ts";
import { answerBoot } from "../../../../handler/check/answers/boot-answer.ts";
import { allMountsAreLocal } from "../../../../handler/check/answers/local-mounts.ts";
import { answerMachine } from "../../../../handler/check/answers/machine-answer.ts";
import { placePath, rememberPlaces } from "../../../../handler/check/answers/place-path.ts";
import type { Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";
import { identity, makeMachine, windowsMachine, exited } from "./made-machine.ts";

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

test("Windows counts its monotonic clock from the boot; of Linux the kernel tells", () => {
  const { platform } = checkHost();
  const view = { root: "/", monotonicMs: () => 7 };
  expect(answerBoot({ ...view, platform: { ...platform, name: "windows" } }, identity)).toStrictEqual({
    kind: "known",
    value: { id: "boot-1", uptimeMs: 7 },
  });
  expect(answerBoot({ ...view, platform }, identity)).not.toMatchObject({ value: { uptimeMs: 7 } });
});

test("a Windows machine in a folder tells its uptime by the file of it, and nothing of /run", async () => {
  const { ask, host } = windowsMachine({});
  expect(await ask({ ask: "boot" })).toBe("how long this machine runs is not known");
  mkdirSync(join(host.root, "proc"));
  writeFileSync(join(host.root, "proc/uptime"), "2.5 1.0\n");
  writeFileSync(join(host.root, "proc/mounts"), "tmpfs /run tmpfs rw 0 0\n");
  expect(await ask({ ask: "boot" })).toEqual({ id: "boot-1", uptimeMs: 2500 });
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
