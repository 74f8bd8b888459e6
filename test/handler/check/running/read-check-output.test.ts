import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parseCheckOutput, readCheckOutput } from "../../../../handler/check/running/read-check-output.ts";
import { openFilesBelow } from "../../../support/open-files.ts";

const parse = (text: string) => parseCheckOutput(Buffer.from(text));

test("parseCheckOutput() reads the named keys and keeps the others as facts", () => {
  expect(
    parse(
      "stage=kubeadm-join\nreason=KubeadmFailed\nmessage=port 10250 is in use = yes\nproviders=kubeadm, rke2\nnext-check-seconds=20\nunit-state=failed\n",
    ),
  ).toEqual({
    stage: "kubeadm-join",
    reason: "KubeadmFailed",
    message: "port 10250 is in use = yes",
    providers: ["kubeadm", "rke2"],
    nextCheckSeconds: 20,
    facts: { "unit-state": "failed" },
  });
});

test.each([
  ["LicenceServerDown", "CustomLicenceServerDown"],
  ["CustomLicenceServerDown", "CustomLicenceServerDown"],
  ["Bootstrapped", "CustomBootstrapped"],
])("parseCheckOutput() takes no reason outside the table as one of ours: %s becomes %s", (given, reason) => {
  expect(parse(`reason=${given}\n`)).toMatchObject({ reason });
});

test("parseCheckOutput() ignores and counts lines that follow no rule", () => {
  expect(
    parse("hello\nStage=x\nreason=not camel\nnext-check-seconds=-1\nnext-check-seconds=soon\n\n# comment\nstage=ok\n"),
  ).toEqual({
    stage: "ok",
    facts: {},
    ignoredLines: 5,
  });
});

test("parseCheckOutput() takes the last of equal keys and limits the pause", () => {
  expect(parse("stage=one\nstage=two\nnext-check-seconds=86400")).toEqual({
    stage: "two",
    nextCheckSeconds: 300,
    facts: {},
  });
});

test("parseCheckOutput() reads what Windows PowerShell redirects: UTF-16 with a byte order mark and CRLF", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("stage=joining\r\nkey=välue\r\n", "utf16le")]);
  expect(parseCheckOutput(bytes)).toEqual({ stage: "joining", facts: { key: "välue" } });
});

test("parseCheckOutput() shortens a value without splitting a character and cleans it", () => {
  const { message } = parse(`message=\u001b[1m${"🚀".repeat(2000)}`);
  expect(message?.isWellFormed()).toBe(true);
  expect(message?.length).toBeLessThanOrEqual(1025);
});

test("a key such as __proto__ is no fact", () => {
  expect(parse("__proto__=x\nconstructor=y").facts).toEqual({ constructor: "y" });
});

test("readCheckOutput() reads at most 16 KiB and says nothing of a missing file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-output-"));
  writeFileSync(join(folder, "large"), `stage=first\n${"x".repeat(20_000)}\nstage=late\n`);
  expect((await readCheckOutput(join(folder, "large"))).stage).toBe("first");
  expect(await readCheckOutput(join(folder, "none"))).toEqual({ facts: {} });
});

test("readCheckOutput() of a link that leads in a circle, through a file or to a name too long, says nothing and throws nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-output-"));
  symlinkSync("circle", join(folder, "circle"));
  writeFileSync(join(folder, "file"), "");
  symlinkSync("file/below", join(folder, "through"));
  symlinkSync("x".repeat(300), join(folder, "long"));
  for (const name of ["circle", "through", "long"])
    expect(await readCheckOutput(join(folder, name))).toEqual({ facts: {} });
});

test.each([
  ["stage=a", { stage: "a" }],
  ["  stage =  a b  ", { stage: "a b" }],
  ["stage=", { ignoredLines: 1 }],
  ["=a", { ignoredLines: 1 }],
  ["stage", { ignoredLines: 1 }],
  ["  \n\t\n#stage=a", {}],
  [" # stage=a", { ignoredLines: 1 }],
  ["a-b2=x", { facts: { "a-b2": "x" } }],
  ["2a=x\na-=x\n-a=x\na_b=x\na b=x\nA=x\na--b=x", { ignoredLines: 7 }],
  [`${"k".repeat(64)}=x`, { facts: { ["k".repeat(64)]: "x" } }],
  [`${"k".repeat(65)}=x`, { ignoredLines: 1 }],
  [`k=${"v".repeat(1024)}`, { facts: { k: "v".repeat(1024) } }],
  [`k=${"v".repeat(1025)}`, { facts: { k: `${"v".repeat(1024)}…` } }],
  ["reason=K8s2", { reason: "CustomK8s2" }],
  [`reason=K${"x".repeat(64)}`, { ignoredLines: 1 }],
  ["reason=x Kubeadm\nreason=Kubeadm-Failed\nreason=xKubeadm", { ignoredLines: 3 }],
  ["next-check-seconds=1", { nextCheckSeconds: 1 }],
  ["next-check-seconds=0\nnext-check-seconds=1.5\nnext-check-seconds=x1\nnext-check-seconds=1x", { ignoredLines: 4 }],
  ["next-check-seconds=1234567", { ignoredLines: 1 }],
  ["providers=kubeadm,,  k3s ,", { providers: ["kubeadm", "k3s"] }],
  [
    `providers=${Array.from({ length: 12 }, (_, index) => `p${String(index)}`).join(",")}`,
    { providers: Array.from({ length: 10 }, (_, index) => `p${String(index)}`) },
  ],
  [
    Array.from({ length: 60 }, (_, index) => `f${String(index)}=x`).join("\n"),
    { facts: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${String(index)}`, "x"])) },
  ],
])("of the output %j the check has said exactly this", (text, said) => {
  expect(parse(text)).toEqual({ facts: {}, ...said });
});

test("readCheckOutput() of a folder or a pipe says nothing, and leaves no file open; what else goes wrong is thrown", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-output-"));
  mkdirSync(join(folder, "folder"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  writeFileSync(join(folder, "file"), "stage=a\n");
  for (const name of ["folder", "pipe"]) expect(await readCheckOutput(join(folder, name))).toEqual({ facts: {} });
  expect(await readCheckOutput(join(folder, "file"))).toEqual({ stage: "a", facts: {} });
  expect(openFilesBelow(folder)).toEqual([]);
  symlinkSync("/proc/self/mem", join(folder, "broken"));
  await expect(readCheckOutput(join(folder, "broken"))).rejects.toThrow("EIO");
});
