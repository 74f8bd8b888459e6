import { createSocket } from "node:dgram";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { diagnose } from "../../../handler/diagnosis/diagnose.ts";
import { Excerpts } from "../../../handler/diagnosis/excerpts.ts";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { readTimeline } from "../../../handler/diagnosis/timeline.ts";
import { runDiagnose } from "../../../handler/operations/people/run-diagnose.ts";
import { fakeHost } from "./fake-host.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "diagnose-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

const rules = "scripts/rules.json";
const ruleSet = async () => loadRules(await readFile(rules, "utf8"));

const brokenDns = [
  "Cloud-init v. 24.1.3 running 'modules:final' at Sat, 21 Nov 2026 03:14:30 +0000. Up 31.20 seconds.",
  "+ kubeadm join cp.example.internal:6443 --token abcdef.0123456789abcdef --config /run/kubeadm/kubeadm-join-config.yaml",
  "[preflight] Running pre-flight checks",
  'error execution phase preflight: couldn\'t validate the identity of the API Server: failed to request the cluster-info ConfigMap: Get "https://cp.example.internal:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp: lookup cp.example.internal on 10.0.0.10:53: no such host',
  "To see the stack trace of this error execute with --v=5 or higher",
  "2026-11-21 03:15:42,100 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)",
  "",
].join("\n");

test("names the cause from the logs of a copied root, without running anything", async () => {
  await put("var/log/cloud-init-output.log", brokenDns);
  const host = fakeHost({ root });
  const { diagnosis, probes, evidence } = await diagnose({ host, ruleSet: await ruleSet() });
  expect(diagnosis.kind === "classified" ? diagnosis.primary.reason : diagnosis.kind).toMatch(/Dns/);
  expect(JSON.stringify(diagnosis)).toContain("cp.example.internal");
  expect(probes).toEqual([]);
  expect(host.commands).toEqual([]);
  expect(evidence.filter((one) => one.state === "read").map((one) => one.origin)).toContain(
    "/var/log/cloud-init-output.log",
  );
});

test("a link among copied logs leads to no file of this machine", async () => {
  const other = await mkdtemp(join(tmpdir(), "diagnose-other-"));
  await writeFile(join(other, "private.log"), "error: lookup api.private on 10.0.0.10:53: no such host\n");
  await mkdir(join(root, "var/log"), { recursive: true });
  await symlink(join(other, "private.log"), join(root, "var/log/cloud-init-output.log"));
  await symlink("cloud-init-output.log", join(root, "var/log/cloud-init.log"));
  const run = await diagnose({ host: fakeHost({ root }), ruleSet: await ruleSet() });
  await rm(other, { recursive: true });
  expect(JSON.stringify(run)).not.toContain("api.private");
});

test("nothing that it quotes holds a secret", async () => {
  await put(
    "var/log/cloud-init-output.log",
    "error execution phase preflight: token abcdef.0123456789abcdef and https://u:pa55w0rdX@cp.example.internal:6443 refused\npanic: password=Hunter2Hunter2\n",
  );
  const run = await diagnose({ host: fakeHost({ root }), ruleSet: await ruleSet() });
  const all = JSON.stringify([run.diagnosis, run.evidence, run.excerpts()]);
  expect(all).toContain("error execution phase preflight");
  for (const secret of ["0123456789abcdef", "pa55w0rdX", "Hunter2Hunter2"]) expect(all).not.toContain(secret);
});

test("names the resolver and the host from the probes alone, where no log says anything", async () => {
  const resolver = createSocket("udp4");
  resolver.on("message", (question, peer) => {
    const reply = Buffer.from(question);
    reply.writeUInt16BE(0x8183, 2);
    resolver.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => {
    resolver.bind(0, "127.0.0.1", resolve);
  });
  await put("etc/resolv.conf", "nameserver 127.0.0.1\n");
  await put("run/kubeadm/kubeadm-join-config.yaml", "apiServerEndpoint: cp.example.internal:6443\n");
  const dead = { metadata: "127.0.0.1:9", wireServer: "127.0.0.1:9", hostPlugin: { host: "127.0.0.1", port: 9 } };
  const { probes, diagnosis } = await diagnose({
    host: fakeHost({ root }),
    ruleSet: await ruleSet(),
    probes: true,
    probeOptions: { azure: dead, dnsPort: resolver.address().port },
  });
  resolver.close();
  expect(probes.find((probe) => probe.name === "dns")).toMatchObject({
    state: "failed",
    target: "cp.example.internal via 127.0.0.1",
  });
  expect(diagnosis).toMatchObject({
    kind: "classified",
    primary: {
      reason: "DnsResolutionFailed",
      summary: "Resolver 127.0.0.1 says that cp.example.internal does not exist (NXDOMAIN)",
    },
  });
});

test("where no rule applies, failed probes are quoted before the last log error", async () => {
  await put("run/kubeadm/kubeadm-join-config.yaml", "apiServerEndpoint: 127.0.0.2:9\n");
  const port9 = { host: "127.0.0.1", port: 9 };
  const { diagnosis } = await diagnose({
    host: fakeHost({ root }),
    ruleSet: { rules: [] },
    probes: true,
    probeOptions: { azure: { metadata: "127.0.0.1:9", wireServer: "127.0.0.1:9", hostPlugin: port9 } },
    texts: [{ source: "command-output", origin: "x", read: { kind: "text", text: "panic: the log's own error\n" } }],
  });
  const lines = diagnosis.kind === "unclassified" ? diagnosis.decisive.map((line) => line.text) : [];
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines.every((line, index) => line.startsWith("probe ") === index < 3)).toBe(true);
});

test("texts of the caller are evidence: the output of a command", async () => {
  const { evidence, excerpts } = await diagnose({
    host: fakeHost({ root }),
    ruleSet: await ruleSet(),
    texts: [{ source: "command-output", origin: "stderr of the command", read: { kind: "text", text: "boom\n" } }],
  });
  expect(evidence[0]).toMatchObject({ origin: "stderr of the command", state: "read", bytes: 5 });
  expect(excerpts().find((one) => one.origin === "stderr of the command")?.text).toBe("boom\n");
});

test("a failure of the diagnosis itself is told as that, and quotes no line of the machine", async () => {
  const host = {
    ...fakeHost({ root }),
    monotonicMs: () => {
      throw new Error("no clock");
    },
  };
  const { diagnosis } = await diagnose({ host, ruleSet: await ruleSet() });
  expect(diagnosis).toEqual({ kind: "unclassified", others: [], decisive: [], notMade: "no clock" });
  await put("var/log/cloud-init-output.log", brokenDns);
  const { text, exitCode } = await runDiagnose(host, { format: "text", probes: false, rules, places: [root] });
  expect({ text, exitCode }).toEqual({
    text: expect.stringMatching(/the diagnosis could not be made \(no clock\), so nothing is known of the machine/u),
    exitCode: 3,
  });
});

test("a diagnosis that hangs is given up, and says so", async () => {
  const host = {
    ...fakeHost({ root }),
    run: () => new Promise<never>(() => undefined),
    sleep: () => Promise.resolve(),
  };
  await mkdir(join(root, "var/log/journal"), { recursive: true });
  const { diagnosis } = await diagnose({ host, ruleSet: await ruleSet(), timeLimitMs: 50 });
  expect(diagnosis).toMatchObject({ kind: "unclassified", decisive: [], notMade: "It did not end within 50 ms" });
});

test("copied logs of a Windows node are read as such on any machine", async () => {
  await put("Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log", "plugin\n");
  const { evidence } = await diagnose({ host: fakeHost({ root }), ruleSet: await ruleSet() });
  expect(evidence.find((one) => one.state === "read")?.source).toBe("cloudbase-init");
});

test("half a secret at the end of a line that was cut is not shown", async () => {
  const head = "panic: ".padEnd(585, "x ");
  await put("var/log/cloud-init-output.log", `${head} abcdef.0123456789abcdef and more\n`);
  const { diagnosis } = await diagnose({ host: fakeHost({ root }), ruleSet: { rules: [] } });
  const text = JSON.stringify(diagnosis);
  expect(text).toContain("panic: ");
  expect(text).not.toContain("abcdef.");
});

test("the timeline tells cloud-init's stages, with either kind of clock", async () => {
  const stage = (start: number, finished: number | null, errors: readonly string[] = []) => ({
    start,
    finished,
    errors,
  });
  await put("proc/stat", "cpu 1\nbtime 1795230000\n");
  await put(
    "run/cloud-init/status.json",
    JSON.stringify({ v1: { stage: null, "init-local": stage(9.5, 10.1), "modules-final": stage(30, 104, ["boom"]) } }),
  );
  expect(await readTimeline(root)).toEqual([
    { time: "2026-11-21T03:00:09.500Z", stage: "cloud-init", event: "cloud-init init-local started" },
    { time: "2026-11-21T03:00:10.100Z", stage: "cloud-init", event: "cloud-init init-local finished" },
    { time: "2026-11-21T03:00:30.000Z", stage: "cloud-init", event: "cloud-init modules-final started" },
    { time: "2026-11-21T03:01:44.000Z", stage: "cloud-init", event: "cloud-init modules-final finished with 1 error" },
  ]);
  await put("run/cloud-init/status.json", JSON.stringify({ v1: { init: stage(1795230012.25, null) } }));
  expect(await readTimeline(root)).toEqual([
    { time: "2026-11-21T03:00:12.250Z", stage: "cloud-init", event: "cloud-init init started" },
  ]);
  await put("run/cloud-init/status.json", "{ half");
  expect(await readTimeline(root)).toEqual([]);
});

test("excerpts keep the end of each log from its first whole line, in bounded memory", () => {
  const sink = new Excerpts();
  const line = "2026-11-21T03:14:07+0000 node kubelet[1]: some words of a log line\n";
  for (let n = 0; n < 200; n++) sink.keep("a", Buffer.from(line.repeat(1000)));
  sink.keep("b", Buffer.from("short\n"));
  const [a, b] = sink.excerpts();
  expect(a?.cut).toBe(true);
  expect(a?.text.startsWith("2026-11-21T")).toBe(true);
  expect(a?.text.length).toBeLessThanOrEqual(128 * 1024);
  expect(b).toEqual({ origin: "b", text: "short\n", cut: false });
});

test.each([
  ["text", /^Bootstrap failed \(Dns\w+\) in kubeadm join: /],
  ["json", /^\{\n {2}"schemaVersion": 1,/],
  ["html", /^<!doctype html>/],
] as const)("`diagnose` answers as %s, with an exit code", async (format, head) => {
  await put("cloud-init-output.log", brokenDns);
  const result = await runDiagnose(fakeHost({ root }), { format, probes: true, rules });
  expect(result.text).toMatch(head);
  expect(result.exitCode).toBe(1);
  expect(result.text).not.toContain("0123456789abcdef");
});

test.each([
  ["an empty folder", {}],
  ["a machine that never bootstrapped", { syslog: "Nov 14 06:02:11 vm app[1]: error: cannot open config\n" }],
])("`diagnose` invents no failure for %s", async (_, logs: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(logs)) await put(name, text);
  const result = await runDiagnose(fakeHost({ root }), { format: "text", probes: false, rules });
  expect(result.exitCode).toBe(3);
  expect(result.text).toMatch(/holds no logs of a machine|no bootstrap found/u);
});

test("`diagnose` says no failure where the logs of a bootstrap hold no error", async () => {
  await put("cloud-init-output.log", "Cloud-init v. 25.1 running 'modules:config'\n+ kubeadm join cp:6443\n");
  const result = await runDiagnose(fakeHost({ root }), { format: "text", probes: false, rules });
  expect(result.text).toMatch(/^No failure found in the logs: /);
  expect(result.exitCode).toBe(2);
});

test.each([
  ["what is not there", "nowhere", [64, /^capz-bootstrap diagnose: There is no file or folder ".*nowhere"\. Next: /]],
  ["a file that is named like an archive and is none", "logs.tgz", [64, /logs\.tgz" is no archive/]],
  ["a log of something else", "one.log", [3, /one\.log" holds no logs of a machine/]],
] as const)("`diagnose` gives no verdict on %s", async (_, name, [exitCode, says]) => {
  if (name !== "nowhere") await writeFile(join(root, name), "x");
  const result = await runDiagnose(fakeHost({ root: join(root, name) }), { format: "text", probes: false, rules });
  expect(result).toMatchObject({ exitCode, text: expect.stringMatching(says) });
});

test("`diagnose` names a catalogue that it cannot use", async () => {
  const broken = await runDiagnose(fakeHost({ root }), { format: "text", probes: false });
  expect(broken.exitCode).toBe(3);
  expect(broken.text).toContain('cannot use the rule catalogue "/nonexistent/bundle/rules.json"');
});

test("an excerpt of small pieces is the end of what was said, and a full memory keeps nothing of further logs", () => {
  const sink = new Excerpts();
  let said = "";
  for (let n = 0; n < 40_000; n++) {
    const piece = `line ${String(n)} of it\n`;
    said += piece;
    sink.keep("a", Buffer.from(piece));
  }
  const [a] = sink.excerpts();
  expect(a?.cut).toBe(true);
  expect(a?.text.length).toBeGreaterThan(128 * 1024 - 100);
  expect(said.endsWith(a?.text ?? "")).toBe(true);
  const line = "some words of a log line\n";
  for (let n = 0; n < 40; n++) sink.keep(String(n), Buffer.from(line.repeat(6000)));
  const lengths = sink.excerpts().map(({ text }) => text.length);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(sink.excerpts().at(-1)?.text).not.toContain("words");
});
