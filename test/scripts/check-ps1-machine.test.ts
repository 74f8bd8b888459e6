import { afterEach, beforeEach, expect } from "@jest/globals";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pwsh, testWithPowerShell } from "../support/powershell.ts";
import { runCheckScript, type CheckAnswer } from "./run-check-script.ts";

const script = join(import.meta.dirname, "../../scripts/check.ps1");
const logFile = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
const sentinel = "run/cluster-api/bootstrap-success.complete";
const certificate = "var/lib/kubelet/pki/kubelet-client-current.pem";
const boot = Math.floor(Date.now() / 1000) - 1000;

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-check-ps1-"));
  root = join(folder, "root");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, content: string | Buffer, uptime = 60): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await utimes(file, boot + uptime, boot + uptime);
}

/** The facts that stand for the registry and the service manager. */
async function putFacts(services: string, more = ""): Promise<void> {
  await put("capz-facts/services", services);
  await put("capz-facts/times", `hostname=win-1\ninstall=${String(boot - 100)}\nboot=${String(boot)}\n${more}`);
}

/** As cloudbase-init stamps its lines: local time without a zone. */
function at(uptime: number, text: string): string {
  const milliseconds = (boot + uptime) * 1000;
  const local = new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 19).replace("T", " ")}.120 1840 INFO cloudbaseinit.init [-] ${text}`;
}

const began = [
  at(10, "Cloudbase-Init version: 1.1.6"),
  at(12, "Instance id: 8f1e2d3c.capz-win-0"),
  at(15, "Executing plugin 'UserDataPlugin'"),
];
const failed = [...began, at(70, "User_data script ended with return code: 1"), at(100, "Plugins execution done")];

async function check(env: Readonly<Record<string, string>> = {}): Promise<CheckAnswer> {
  const machine = { folder, root, apply: () => Promise.resolve(), remove: () => Promise.resolve() };
  const command = [pwsh, "-NoLogo", "-NoProfile", "-NonInteractive", "-File", script] as const;
  return runCheckScript({ command: [...command], machine, provider: "auto", env });
}

testWithPowerShell.each([
  ["LF", (lines: readonly string[]) => `${lines.join("\n")}\n`],
  ["CRLF", (lines: readonly string[]) => `${lines.join("\r\n")}\r\n`],
  ["UTF-8 with a mark", (lines: readonly string[]) => `\uFEFF${lines.join("\r\n")}\r\n`],
  ["UTF-16 with a mark", (lines: readonly string[]) => Buffer.from(`\uFEFF${lines.join("\r\n")}\r\n`, "utf16le")],
  ["a last line without an end", (lines: readonly string[]) => lines.join("\r\n")],
  [
    "a stack trace and 40,000 lines of output",
    (lines: readonly string[]) =>
      [...lines.slice(0, 3), ...Array<string>(40_000).fill("I1121 07:00:00 loop.go:42] GET"), ...lines.slice(3)].join(
        "\n",
      ),
  ],
])("a log with %s gives the failure that it holds", async (_, encode) => {
  await putFacts("cloudbase-init=Stopped\n");
  await put(logFile, encode(failed));
  const { exitCode, lines, stderr } = await check();
  expect({ exitCode, stderr, reason: lines["reason"] }).toEqual({
    exitCode: 1,
    stderr: "",
    reason: "CloudbaseInitFailed",
  });
  expect(lines["message"]).toBe("cloudbase-init.log says: User_data script ended with return code: 1");
});

testWithPowerShell("a log of one line is read like any other", async () => {
  await putFacts("cloudbase-init=Running\n");
  await put(logFile, `${began[0] ?? ""}\n`);
  expect(await check()).toMatchObject({ exitCode: 75, lines: { stage: "cloudbase-init" } });
});

testWithPowerShell.each([
  ["blanks and umlauts", "Knoten für Müller"],
  ["wildcards", "root [1] *"],
  ["other scripts", "узел-節點"],
])("a path with %s is no other path", async (_, name) => {
  root = join(folder, name);
  await putFacts("cloudbase-init=Stopped\n");
  await put(logFile, `${began.join("\n")}\n`);
  await put(sentinel, "success\n");
  await put("run/kubeadm/kubeadm-join-config.yaml", "kind: JoinConfiguration\n");
  expect(await check()).toMatchObject({ exitCode: 0, stderr: "", lines: { providers: "kubeadm", sentinel: "fresh" } });
});

testWithPowerShell("a machine without any of the folders is waited for", async () => {
  await mkdir(root);
  expect(await check()).toMatchObject({ exitCode: 75, stderr: "", lines: { stage: "waiting-for-sentinel" } });
});

testWithPowerShell.each([
  ["a log that is a folder", () => put(`${logFile}/x`, "")],
  ["a log that cannot be opened", () => link(logFile)],
  ["a log with a time that does not exist", () => put(logFile, `${began.join("\n").replace(/-\d\d /u, "-99 ")}\n`)],
  ["facts that are no numbers", () => put("capz-facts/times", "install=soon\nboot=later\n")],
])("%s is no verdict", async (_, spoil) => {
  await putFacts("cloudbase-init=Stopped\n");
  await put(sentinel, "success\n");
  await put(logFile.replace(".log", "-unattend.log"), "");
  await spoil();
  const { exitCode, stderr, lines } = await check();
  expect({ exitCode, stderr, stage: lines["stage"] }).toEqual({ exitCode: 75, stderr: "", stage: "check-incomplete" });
  expect(lines["message"]).toMatch(/^The check could not look at everything: .+/u);
});

/** A link to itself: it is there and cannot be read, whoever asks. */
async function link(path: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await symlink(join(root, path), join(root, path));
}

testWithPowerShell.each([
  ["empty", ""],
  ["half written", "-----BEGIN CERTIFICATE-----\nMIIB\n"],
  ["no certificate", "-----BEGIN CERTIFICATE-----\nMIIB*\n-----END CERTIFICATE-----\n"],
  ["no base64 of a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
])("a client certificate that is %s proves nothing and fails nothing", async (_, content) => {
  await putFacts("cloudbase-init=Stopped\nkubelet=Running\n");
  await put(logFile, `${[began[0], began[1], at(100, "Plugins execution done")].join("\n")}\n`);
  await put("etc/kubernetes/kubelet.conf", "kind: Config\n");
  await put(certificate, content);
  expect(await check()).toMatchObject({ exitCode: 75, stderr: "", lines: { stage: "waiting-for-kubelet" } });
});

testWithPowerShell("an answer that cannot be written still has its exit code", async () => {
  await putFacts("cloudbase-init=Stopped\n");
  await put(sentinel, "success\n");
  const { exitCode, stderr } = await check({ CAPZ_CHECK_OUTPUT: join(folder, "absent", "output") });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/absent/u);
});

testWithPowerShell.each([
  [-3, "stale"],
  [-1, "fresh"],
  [3, "fresh"],
])("a sentinel %i s beside the beginning of the user data is %s", async (offset, state) => {
  await putFacts("cloudbase-init=Running\n");
  await put(logFile, `${began.join("\n")}\n`);
  await put(sentinel, "success\n", 15 + offset);
  expect((await check()).lines["sentinel"]).toBe(state);
});

testWithPowerShell("the words of the answer stay on one line each, without a mark at the beginning", async () => {
  await putFacts("cloudbase-init=Stopped\n");
  await put(logFile, `${failed.join("\r\n")}\r\n`);
  const { lines } = await check();
  expect(Object.keys(lines).toSorted()).toEqual(["message", "next-check-seconds", "providers", "reason", "stage"]);
});
