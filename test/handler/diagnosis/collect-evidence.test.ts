import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startEvidence } from "../../../handler/diagnosis/collect-evidence.ts";
import type { EvidenceOrigin, EvidenceSource } from "../../../handler/diagnosis/evidence-source.ts";
import { linuxEvidence, showProcesses, showUnits } from "../../../handler/diagnosis/evidence-linux.ts";
import { windowsEvidence } from "../../../handler/diagnosis/evidence-windows.ts";
import { firstBootOfThisVm, type FirstBoot } from "../../../handler/diagnosis/first-boot.ts";
import { linux } from "../../../handler/platform/linux.ts";
import { fakeHost, type FakeHost } from "./fake-host.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "collect-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, content: string | Buffer): Promise<string> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, content);
  return full;
}

function textSink() {
  const texts = new Map<string, string>();
  let largest = 0;
  return {
    texts,
    largest: () => largest,
    feed(origin: EvidenceOrigin, chunk: Uint8Array) {
      largest = Math.max(largest, chunk.length);
      texts.set(origin.origin, (texts.get(origin.origin) ?? "") + Buffer.from(chunk).toString("utf8"));
    },
    endSource() {
      // Texts are told apart by their origins here.
    },
  };
}

async function collect(
  sources: readonly EvidenceSource[],
  options: Partial<FakeHost> & {
    readonly live?: boolean;
    readonly firstBoot?: FirstBoot;
    readonly timeLimitMs?: number;
  } = {},
) {
  const sink = textSink();
  const host = fakeHost({ root, ...options });
  const summaries = await startEvidence({
    host,
    sources,
    live: options.live ?? false,
    timeLimitMs: options.timeLimitMs ?? 10_000,
    firstBoot: Promise.resolve(options.firstBoot),
  }).read(sink);
  return {
    sink,
    summaries,
    commands: host.commands,
    stateOf: (origin: string) => summaries.find((one) => one.origin === origin),
  };
}

const oneFile = (path: string, more: Partial<EvidenceSource> = {}): EvidenceSource => ({
  source: "system",
  origin: path,
  read: { kind: "file", paths: [path] },
  ...more,
});

test("reads the files that are there and says which are not", async () => {
  await put("var/log/cloud-init-output.log", "error execution phase preflight\n");
  await put("run/cloud-init/result.json", '{"v1": {"errors": ["x"]}}');
  const { sink, stateOf } = await collect(linuxEvidence);
  expect(sink.texts.get("/var/log/cloud-init-output.log")).toBe("error execution phase preflight\n");
  expect(sink.texts.get("/run/cloud-init/result.json")).toContain('"x"');
  expect(stateOf("/var/log/cloud-init-output.log")).toMatchObject({ state: "read", bytes: 32 });
  expect(stateOf("/var/log/cloud-init.log")).toMatchObject({ state: "not-available", bytes: 0, note: "no such file" });
  expect(stateOf("journalctl -u kubelet")).toMatchObject({
    state: "not-available",
    note: "no journal below the given root",
  });
  expect(stateOf("systemctl show")).toMatchObject({ note: "commands are run on the live machine only" });
});

test("never reads bootstrap data, only tells that it is there", async () => {
  await put("run/kubeadm/kubeadm-join-config.yaml", "token: abcdef.0123456789abcdef");
  await put("etc/kubernetes/bootstrap-kubelet.conf", "token: abcdef.0123456789abcdef");
  await put("var/lib/cloud/instance/user-data.txt", "token: abcdef.0123456789abcdef");
  const { sink } = await collect(linuxEvidence);
  const all = [...sink.texts.values()].join("\n");
  expect(all).not.toContain("0123456789abcdef");
  expect(all).toContain("file /run/kubeadm/kubeadm-join-config.yaml: present");
  expect(all).toContain("file /etc/kubernetes/kubelet.conf: absent");
});

test("a copy of /var/log alone is a root too", async () => {
  await put("cloud-init-output.log", "hello\n");
  const { sink } = await collect(linuxEvidence);
  expect(sink.texts.get("/var/log/cloud-init-output.log")).toBe("hello\n");
});

test("a large file is read from the line that begins its newest part, in small chunks", async () => {
  const lines = Array.from({ length: 60_000 }, (_unused, n) => `line ${String(n).padStart(8, "0")}`).join("\n");
  await put("var/log/big.log", `${lines}\n`);
  const { sink, stateOf } = await collect([oneFile("/var/log/big.log", { maxBytes: 400_000 })]);
  const text = sink.texts.get("/var/log/big.log") ?? "";
  expect(text).toMatch(/^line \d{8}\n/);
  expect(text.endsWith("line 00059999\n")).toBe(true);
  expect(text.length).toBeLessThanOrEqual(400_000);
  expect(sink.largest()).toBeLessThanOrEqual(256 * 1024);
  expect(stateOf("/var/log/big.log")).toMatchObject({
    state: "cut",
    note: "only the last 400000 of 840000 bytes were read",
  });
});

test("a pattern gives the newest files, oldest first, and never this extension's own logs", async () => {
  for (const [name, minute] of [
    ["a", 1],
    ["b", 3],
    ["c", 2],
  ] as const) {
    const path = await put(`var/log/azure/${name}.ext/handler.log`, `log of ${name}\n`);
    await utimes(path, 1000, 1000 + minute * 60);
  }
  await put("var/log/azure/Example.ClusterApi.CAPZ.Linux.Bootstrapping/handler.log", "our own\n");
  const source = oneFile("x", { read: { kind: "file", paths: ["/var/log/azure/*/*.log"], newest: 2 } });
  const { summaries } = await collect([source]);
  expect(summaries.map((one) => one.origin)).toEqual([
    "/var/log/azure/c.ext/handler.log",
    "/var/log/azure/b.ext/handler.log",
  ]);
});

test("a pipe in the place of a log does not block", async () => {
  await mkdir(join(root, "var/log"), { recursive: true });
  await symlink("/dev/zero", join(root, "var/log/endless.log"));
  const { stateOf } = await collect([oneFile("/var/log/endless.log")]);
  expect(stateOf("/var/log/endless.log")).toMatchObject({ state: "not-available" });
});

test("what another machine wrote before this one first booted is left out", async () => {
  const ms = Date.parse("2026-11-21T00:00:00Z");
  await put(
    "var/log/cloud-init-output.log",
    [
      "Cloud-init v. 24.1 running 'init-local' at Mon, 02 Nov 2026 10:00:00 +0000. Up 9.7 seconds.",
      "error execution phase preflight: an old failure",
      "Cloud-init v. 24.1 running 'init-local' at Sat, 21 Nov 2026 03:14:07 +0000. Up 9.7 seconds.",
      "error execution phase kubelet-start: the present failure",
      "",
    ].join("\n"),
  );
  const old = await put("var/log/cloud-init.log", "2026-11-02 10:00:00,000 - util.py[WARNING]: old\n");
  await utimes(old, new Date("2026-11-02T10:00:00Z"), new Date("2026-11-02T10:00:00Z"));
  const { sink, stateOf } = await collect(linuxEvidence, { firstBoot: { ms, unzonedMs: ms, shownMs: ms } });
  expect(sink.texts.get("/var/log/cloud-init-output.log")).not.toContain("an old failure");
  expect(sink.texts.get("/var/log/cloud-init-output.log")).toContain("the present failure");
  expect(stateOf("/var/log/cloud-init-output.log")?.note).toMatch(
    /^\d+ bytes from before this machine first booted were left out$/,
  );
  expect(stateOf("/var/log/cloud-init.log")).toMatchObject({
    state: "not-available",
    note: "last written before this machine first booted",
  });
});

test("the first boot of a Windows VM is when its system was set up, and so an error of its donor's last year is left out", async () => {
  const installed = Date.UTC(2026, 10, 21, 3) / 1000;
  const setUpAt = () => Promise.resolve(new Date(installed * 1000));
  const host = fakeHost({ root, platform: { ...linux, name: "windows", setUpAt } });
  const firstBoot = await firstBootOfThisVm(host);
  // A local time of this machine may be up to half a day behind UTC.
  expect(firstBoot?.ms).toBeLessThan(Date.UTC(2026, 10, 20, 15));
  const log = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
  const line = (at: string, words: string): string => `${at}.120 1840 ERROR cloudbaseinit.init [-] ${words}\r\n`;
  await put(
    log,
    line("2025-11-02 10:00:00", "the donor's error") + line("2026-11-20 20:00:00", "an error of this machine"),
  );
  const { sink } = await collect(windowsEvidence, { ...(firstBoot === undefined ? {} : { firstBoot }) });
  expect(sink.texts.get(`/${log}`)).not.toContain("donor");
  expect(sink.texts.get(`/${log}`)).toContain("an error of this machine");
  expect(await firstBootOfThisVm(fakeHost({ root, platform: { ...linux, name: "windows" } }))).toBeUndefined();
});

test("a Windows disk copied without a new set-up: since cloudbase-init works for this instance its donor's last year is left out", async () => {
  const host = fakeHost({ root, platform: { ...linux, name: "windows", setUpAt: () => Promise.resolve(new Date(0)) } });
  const log = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
  const line = (at: string, words: string): string => `${at}.120 1840 DEBUG cloudbaseinit.init [-] ${words}\r\n`;
  const runOf = (at: string, id: string, words: string): string =>
    line(at, `Instance id: ${id} configure_host`) + line(at, words);
  const donor =
    runOf("2025-11-02 10:00:00", "donor-1", "the donor's error") + runOf("2025-11-02 11:00:00", "donor-1", "again");
  // The id may lie where two pieces of the file meet.
  const noise = line("2025-11-03 10:00:00", "x".repeat(90))
    .repeat(9000)
    .slice(0, 1_048_576 - donor.length - 60);
  await put(log, `${donor}${noise}\n`);
  expect((await firstBootOfThisVm(host))?.ms).toBe(-15 * 3_600_000);
  const clone =
    runOf("2026-11-20 20:00:00", "clone-2", "an error of this machine") +
    runOf("2026-11-20 20:30:00", "clone-2", "more");
  await put(log, `${donor}${noise}\n${clone}`);
  const firstBoot = await firstBootOfThisVm(host);
  expect(firstBoot?.ms).toBe(Date.UTC(2026, 10, 20, 5));
  const { sink } = await collect(windowsEvidence, { ...(firstBoot === undefined ? {} : { firstBoot }) });
  expect(sink.texts.get(`/${log}`)).not.toContain("donor's error");
  expect(sink.texts.get(`/${log}`)).toContain("an error of this machine");
});

test("a live machine's journals are read by unit, this boot only, and then no syslog", async () => {
  await put("var/log/syslog", "Nov 21 03:14:07 n kubelet[1]: duplicate\n");
  const { sink, stateOf, commands } = await collect(linuxEvidence, {
    live: true,
    outputs: {
      "-u kubelet": "2026-11-21T03:14:07+0000 n kubelet[1]: E1121 failed to run Kubelet\n",
      "systemctl show":
        "Id=kubelet.service\nLoadState=loaded\nActiveState=failed\nResult=exit-code\nNRestarts=5\n\nId=k3s.service\nLoadState=not-found\nActiveState=inactive\n",
    },
  });
  expect(sink.texts.get("journalctl -u kubelet")).toContain("failed to run Kubelet");
  expect(sink.texts.get("systemctl show")).toBe(
    "kubelet.service LoadState=loaded ActiveState=failed Result=exit-code NRestarts=5",
  );
  expect(stateOf("/var/log/syslog")).toBeUndefined();
  expect(stateOf("crictl ps -a")).toMatchObject({ state: "not-available", note: "spawn crictl ENOENT" });
  const journals = commands.filter((command) => command.startsWith("journalctl"));
  expect(journals.length).toBeGreaterThanOrEqual(8);
  for (const command of journals) expect(command).toContain(" -b -n 12000 --no-pager -q -o short-iso");
});

test("a copied journal is read from its folder, by its last boot", async () => {
  await mkdir(join(root, "var/log/journal"), { recursive: true });
  const { commands } = await collect(linuxEvidence, { outputs: { "-u kubelet": "x\n" } });
  expect(commands).toContain(
    `journalctl -D ${join(root, "var/log/journal")} -u kubelet -b -n 12000 --no-pager -q -o short-iso`,
  );
  expect(commands.some((command) => !command.startsWith("journalctl"))).toBe(false);
});

test("without a journal syslog stands in for it", async () => {
  await put("var/log/syslog", "Nov 21 03:14:07 n kubelet[1]: E1121 failed\n");
  const { stateOf } = await collect(linuxEvidence);
  expect(stateOf("/var/log/syslog")).toMatchObject({ state: "read" });
});

test("the whole collection ends at its time limit and names what it left out", async () => {
  await put("var/log/cloud-init.log", "x\n");
  let now = 0;
  const { summaries } = await collect(linuxEvidence, { timeLimitMs: 100, monotonicMs: () => (now += 30) });
  expect(summaries.some((one) => one.state === "timed-out" && one.note === "no time left for it")).toBe(true);
  expect(summaries.length).toBeGreaterThan(20);
});

test("what was begun for a reader who does not come starts no more commands; for one who comes late, all of them", async () => {
  let now = 0;
  const host = fakeHost({ root: "/nonexistent", monotonicMs: () => now });
  const sources = Array.from({ length: 8 }, (_, at): EvidenceSource => {
    return { source: "command-output", origin: `${at}`, read: { kind: "command", command: ["made-up", `${at}`] } };
  });
  const begun = startEvidence({ host, sources, live: true, timeLimitMs: 20_000 });
  now = 5001;
  await new Promise(setImmediate);
  expect(host.commands).toHaveLength(4);
  const summaries = await begun.read({ feed: () => undefined, endSource: () => undefined });
  expect(host.commands).toHaveLength(8);
  expect(summaries.map(({ note }) => note)).toEqual(sources.map(() => "spawn made-up ENOENT"));
});

test("texts that the caller has are evidence too", async () => {
  const { sink } = await collect([
    { source: "command-output", origin: "stderr of the command", read: { kind: "text", text: "boom" } },
  ]);
  expect(sink.texts.get("stderr of the command")).toBe("boom");
});

test("Windows sources are read below the system drive, and its commands run only live", async () => {
  await put("Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log", "plugin failed\r\n");
  await put("var/log/kubelet/kubelet.err.log", "E1121 kubelet\n");
  const copied = await collect(windowsEvidence);
  expect(copied.sink.texts.get("/Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log")).toContain(
    "plugin failed",
  );
  expect(copied.sink.texts.get("/var/log/kubelet/kubelet.err.log")).toContain("kubelet");
  expect(copied.commands).toEqual([]);
  const live = await collect(windowsEvidence, {
    live: true,
    outputs: {
      "reg.exe query":
        "HKEY_LOCAL_MACHINE\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\i-1\\Plugins\r\n    UserDataPlugin    REG_DWORD    0x1\r\n",
      "wevtutil.exe qe System":
        "<Event><System><Provider Name='Service Control Manager'/><EventID Qualifiers='49152'>7034</EventID><Level>2</Level><TimeCreated SystemTime='2026-11-21T03:14:07.12Z'/></System><RenderingInfo><Message>The kubelet service terminated unexpectedly.</Message></RenderingInfo></Event>",
      "sc.exe query":
        "SERVICE_NAME: kubelet\r\n        TYPE : 10\r\n        STATE : 1\r\n        WIN32_EXIT_CODE : 1067\r\n",
    },
  });
  expect(live.sink.texts.get("registry: Cloudbase-Init plugins")).toContain("UserDataPlugin");
  expect(live.sink.texts.get("event log System")).toBe(
    "2026-11-21T03:14:07Z Error Service Control Manager 7034: The kubelet service terminated unexpectedly.",
  );
  expect(live.commands.join("\n")).not.toMatch(/powershell|\{uptime/iu);
  expect(live.commands.find((command) => command.startsWith("wevtutil.exe qe System"))).toMatch(
    /timediff\(@SystemTime\) <= \d+\]/u,
  );
  expect(live.sink.texts.get("services")).toContain("ExecMainStatus=1067");
});

test("a Windows without the containers' host is not asked for that one's log", async () => {
  const log = "Microsoft-Windows-Hyper-V-Compute-Operational";
  const asked = async () =>
    collect(
      windowsEvidence.filter(({ origin }) => origin.startsWith("event log ")),
      { live: true },
    );
  const without = await asked();
  expect(without.commands.filter((command) => command.includes(log))).toEqual([]);
  expect(without.commands).toHaveLength(2);
  expect(without.summaries.find(({ origin }) => origin.endsWith(log))).toMatchObject({ note: "no such log" });
  await put(`Windows/System32/winevt/Logs/${log}.evtx`, "");
  expect((await asked()).commands.filter((command) => command.includes(log))).toHaveLength(1);
});

test("what reg.exe says of a key that is not there is no evidence", async () => {
  const words = "reg: Unable to find the specified registry key\r\n";
  const { sink, stateOf } = await collect(windowsEvidence, { live: true, outputs: { "reg.exe query": words } });
  expect(sink.texts.get("registry: Cloudbase-Init plugins")).toBeUndefined();
  expect(stateOf("registry: Cloudbase-Init plugins")).toMatchObject({ bytes: 0 });
});

test("logs of other extensions on Windows are evidence, our own are not: they quote failures of earlier runs", async () => {
  const logs = "WindowsAzure/Logs/Plugins";
  const own = `${logs}/Example.ClusterApi.CAPZ.Windows.Bootstrapping/1.0.0`;
  for (const name of ["handler.log", "supervisor-output.log", "CommandExecution.log"]) {
    await put(`${own}/${name}`, "Bootstrap failed (KubeadmFailed)\r\n");
  }
  await put(`${logs}/Microsoft.Compute.CustomScriptExtension/1.10.18/CustomScriptHandler.log`, "script failed\r\n");
  const { sink } = await collect(windowsEvidence);
  expect([...sink.texts.keys()].filter((origin) => origin.startsWith(`/${logs}`))).toEqual([
    `/${logs}/Microsoft.Compute.CustomScriptExtension/1.10.18/CustomScriptHandler.log`,
  ]);
});

test("showUnits() leaves out what does not exist", () => {
  expect(showUnits("Id=a.service\nLoadState=not-found\n\nId=b.service\nLoadState=loaded\nActiveState=active")).toBe(
    "b.service LoadState=loaded ActiveState=active",
  );
});

test("showProcesses() keeps what belongs to a bootstrap", () => {
  const output =
    "PID PPID ELAPSED STAT COMMAND\n1 0 99 Ss /sbin/init\n90 80 61 S kubeadm join cp:6443\n91 1 5 S /x/capz-bootstrap supervise\n";
  expect(showProcesses(output)).toBe("PID PPID ELAPSED STAT COMMAND\n90 80 61 S kubeadm join cp:6443");
});

test("a journal that is empty does not keep syslog from being read", async () => {
  await put("var/log/syslog", "Nov 21 03:14:07 n kubelet[1]: E1121 failed\n");
  const { stateOf } = await collect(linuxEvidence, { live: true, outputs: { journalctl: "" } });
  expect(stateOf("journalctl -u kubelet")).toMatchObject({ state: "read", bytes: 0, note: "it says nothing" });
  expect(stateOf("/var/log/syslog")).toMatchObject({ state: "read" });
});

test("a log that is too long for its time loses its middle, never its newest end", async () => {
  const noise = "2026-11-14 06:02:11 error: something in passing\n".repeat(100_000);
  await put("var/log/big.log", `first line\n${noise}the decisive line\n`);
  // A machine so slow that a look at the clock costs a second.
  let now = 0;
  const monotonicMs = () => (now += 1000);
  const source: EvidenceSource = {
    source: "cloud-init-output",
    origin: "/var/log/big.log",
    read: { kind: "file", paths: ["/var/log/big.log"] },
  };
  const { sink, summaries } = await collect([source], { monotonicMs, timeLimitMs: 600_000 });
  const text = sink.texts.get("/var/log/big.log") ?? "";
  expect(text.startsWith("first line\n")).toBe(true);
  expect(text.endsWith("the decisive line\n")).toBe(true);
  expect(text.length).toBeLessThan(noise.length);
  // The cut falls between lines.
  expect(new Set(text.split("\n")).size).toBeLessThanOrEqual(5);
  expect(summaries).toMatchObject([{ state: "timed-out", note: expect.stringContaining("the newest end was read") }]);
});
