/** @jest-environment-options {"ownTemporaryFolder": true} */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import type { Host } from "../../../../handler/host.ts";
import { runDiagnose, type DiagnoseOptions } from "../../../../handler/operations/people/run-diagnose.ts";
import { briefBytes } from "../../../../handler/report/report-brief.ts";
import { makeTgz } from "../../copies/make-tar.ts";
import { fakeHost } from "../../diagnosis/fake-host.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "capz-layouts-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, content: string | Buffer): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  return join(root, path);
}

function diagnosed(places: readonly string[], format: DiagnoseOptions["format"] = "text") {
  return runDiagnose(fakeHost({ root: "/nonexistent" }), {
    format,
    probes: false,
    places,
    rules: "scripts/rules.json",
  });
}

const noHost =
  'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://cp.example.internal:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp: lookup cp.example.internal on 10.0.0.10:53: no such host';
const output = `[preflight] Running pre-flight checks\n${noHost}\n`;
const journal = `Nov 21 03:14:07.123456 node-1 cloud-init[901]: ${noHost}\n`;
const serial = `[   12.345678] Linux version 6.8.0\n[   31.204411] cloud-init[901]: [preflight] Running pre-flight checks\n[   31.9] cloud-init[901]: ${noHost}\n`;

/** Each layout as its collector writes it, with one and the same failure in it. */
const layouts: readonly (readonly [name: string, files: Readonly<Record<string, string>>])[] = [
  [
    "CAPZ's log collector, Linux",
    {
      "clusters/c/machines/m/cloud-init-output.log": output,
      "clusters/c/machines/m/kubelet-version.txt": "Kubernetes v1.33.1\n",
    },
  ],
  ["CAPZ's log collector, the journal alone", { "clusters/c/machines/m/journal.log": journal }],
  ["CAPZ's log collector, boot diagnostics alone", { "clusters/c/machines/m/boot.log": serial }],
  [
    "CAPZ's log collector, Windows",
    { "clusters/c/machines/m/cloudbase-init-unattend.log": output, "clusters/c/machines/m/hyperv-operation.log": "\n" },
  ],
  [
    "sosreport with copies",
    {
      "sosreport-node-1-2026-11-21-abc/var/log/cloud-init-output.log": output,
      "sosreport-node-1-2026-11-21-abc/sos_commands/host/hostname": "node-1\n",
    },
  ],
  ["sosreport with journals", { "sosreport-node-1/sos_commands/logs/journalctl_--no-pager_--boot": journal }],
  [
    "AKS's log bundle",
    {
      "collect/systemctl-status.txt": "kubelet.service\n",
      "var/log/azure/cluster-provision.log": output,
      "var/log/waagent.log": "x\n",
    },
  ],
  ["image-builder's Packer log", { "packer-image-builder.log": `azure-arm: TASK [kubeadm]\nazure-arm: ${noHost}\n` }],
  [
    "Rancher's log collector, RKE2",
    {
      "node-1-2026-11-21_09_20_01/journald/rke2-agent": `Nov 21 03:14:07 node-1 rke2[9]: ${noHost}\n`,
      "node-1-2026-11-21_09_20_01/systeminfo/hostname": "node-1\n",
    },
  ],
  [
    "Rancher's log collector, kubeadm under cloud-init",
    {
      "node-1-2026-11-21_09_20_01/journald/kubelet": "Nov 21 03:14:07 node-1 systemd[1]: Started kubelet.\n",
      "node-1-2026-11-21_09_20_01/systemlogs/cloud-init-output.log": output,
    },
  ],
  [
    "microk8s inspect",
    {
      "inspection-report/snap.microk8s.daemon-kubelite/journal.log": `Nov 21 03:14:07 node-1 microk8s.daemon-kubelite[9]: ${noHost}\n`,
      "inspection-report/snap.microk8s.daemon-containerd/journal.log": "Nov 21 03:14:06 node-1 systemd[1]: Started.\n",
      "inspection-report/snap.microk8s.daemon-cluster-agent/systemctl.log": "active\n",
    },
  ],
  [
    "k8s inspect",
    { "inspection-report/snap.k8s.kubelet/journal.log": `Nov 21 03:14:07 node-1 k8s.kubelet[9]: ${noHost}\n` },
  ],
  ["a copy of /var/log", { "log/cloud-init-output.log": output }],
];

test.each(layouts)("%s: as folder, .tgz and .zip the same cause is named", async (_, files) => {
  for (const [path, content] of Object.entries(files)) put(`folder/${path}`, content);
  const tgz = put("logs.tgz", makeTgz(Object.entries(files).map(([name, content]) => ({ name, content }))));
  const zip = new AdmZip();
  for (const [path, content] of Object.entries(files)) zip.addFile(path, Buffer.from(content));
  for (const place of [join(root, "folder"), tgz, put("logs.zip", zip.toBuffer())]) {
    const { text, exitCode } = await diagnosed([place]);
    expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\)/u);
    expect(exitCode).toBe(1);
  }
});

test.each([
  ["cloud-init-output.log", output],
  ["serial.txt", serial],
  ["node-1.4f1c.serialconsole.log", serial],
])("one file, %s, is enough", async (name, content) => {
  const { text, exitCode } = await diagnosed([put(name, content)]);
  expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\)/u);
  expect(text.trimEnd().split("\n").at(-1)).toBe(text.split("\n")[0]);
  expect(exitCode).toBe(1);
});

test.each([
  [
    "a web server's log",
    "access.log",
    "10.0.0.1 GET / 200\nerror: lookup cp.example.internal on 10.0.0.10:53: no such host\n",
  ],
  [
    "a controller's log",
    "manager.log",
    `E1121 controller.go:329] "Reconciler error" err="kubeadm: ${noHost}" controllerGroup="infrastructure.cluster.x-k8s.io"\n`,
  ],
  // Nothing in it says whose it is: any program of .NET ends so.
  ["an exception alone", "sock.log", "System.Net.Sockets.SocketException (10061): Es konnte keine Verbindung\r\n"],
  ["a picture", "boot.png", Buffer.from("89504e470d0a1a0a0000", "hex")],
])("%s gets an error and no verdict", async (_, name, content) => {
  const { text, exitCode } = await diagnosed([put(name, content)]);
  expect(text).toMatch(/^capz-bootstrap diagnose: ".*" holds no logs of a machine/u);
  expect(exitCode).toBe(3);
});

test("a node of RKE2 is not told of kubeadm's steps and templates", async () => {
  put(
    "journald/rke2-agent",
    `Nov 21 03:14:07 node-1 rke2[9]: time="x" level=fatal msg="kubelet exited: failed to run Kubelet: running with swap on is not supported, please disable swap!"\n`,
  );
  const { text } = await diagnosed([root]);
  expect(text).toMatch(/^Bootstrap failed \(SwapEnabled\) in distribution start: /u);
  expect(text).toContain("RKE2ConfigTemplate spec.template.spec.preRKE2Commands");
  expect(text).not.toMatch(/kubeadm preflight|KubeadmConfig/u);
});

test("a machine that nobody set out to make a node has no failure to explain", async () => {
  put("var/log/cloud-init-output.log", "Cloud-init v. 24.1.3 finished at Sat, 21 Nov 2026. Up 31 seconds\n");
  put("var/log/syslog", "Nov 21 03:14:07 web-1 systemd[1]: nginx.service: Failed with result 'exit-code'.\n");
  const { text, exitCode } = await diagnosed([root]);
  expect(text).toMatch(/^capz-bootstrap diagnose: no bootstrap found in /u);
  expect(exitCode).toBe(3);
});

test("kubeadm's own lines are of a bootstrap, where nothing else in the log says so", async () => {
  put("var/log/cloud-init-output.log", "[preflight] Running pre-flight checks\nthe moon is in the way\n");
  const { text, exitCode } = await diagnosed([root]);
  expect(text).not.toContain("no bootstrap found");
  expect(exitCode).toBe(2);
});

test("several machines are told apart, a line each first and last, and the gravest gives the exit code", async () => {
  put("clusters/c/machines/bad/cloud-init-output.log", output);
  put("clusters/c/machines/web/cloud-init-output.log", "Cloud-init v. 24.1.3 finished\n");
  const { text, exitCode } = await diagnosed([root]);
  const lines = text.trimEnd().split("\n");
  expect(lines.slice(0, 3)).toEqual(lines.slice(-3));
  expect(lines[0]).toBe("2 machines");
  expect(lines[1]).toMatch(/machines\/bad: Bootstrap failed \(DnsResolutionFailed\)/u);
  expect(lines[2]).toMatch(/machines\/web: no bootstrap found/u);
  expect(exitCode).toBe(1);
  const json: unknown = JSON.parse((await diagnosed([root], "json")).text);
  expect(json).toMatchObject({ machines: [{ report: { outcome: "diagnosed" } }, { error: expect.any(String) }] });
  expect(await diagnosed([root], "html")).toMatchObject({ exitCode: 64 });
});

test("several roots are several machines, named as they were given", async () => {
  const one = put("one/cloud-init-output.log", output);
  put("two/var/log/cloud-init-output.log", output);
  const { text } = await diagnosed([one, join(root, "two")]);
  expect(text).toContain(`${one}: Bootstrap failed (DnsResolutionFailed)`);
  expect(text).toContain(`${join(root, "two")}: Bootstrap failed (DnsResolutionFailed)`);
});

test("the report names the machine: host, system, image, size, versions and provider", async () => {
  const compute = {
    name: "md-0-x7k2p",
    vmSize: "Standard_D2s_v5",
    storageProfile: {
      imageReference: { publisher: "cncf-upstream", offer: "capi", sku: "ubuntu-2404-gen1", version: "133.1.1" },
    },
  };
  put("etc/hostname", "md-0-x7k2p\n");
  put("etc/os-release", 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04.2 LTS"\n');
  put("run/cloud-init/instance-data.json", JSON.stringify({ ds: { meta_data: { imds: { compute } } } }));
  put("var/log/cloud-init-output.log", output);
  put(
    "kubelet.log",
    'I1121 server.go:484] "Kubelet version" kubeletVersion="v1.33.1"\nI1121 kuberuntime_manager.go:279] "Container runtime initialized" containerRuntime="containerd" version="1.7.27" apiVersion="v1"\nI1121 kubeadm\n',
  );
  expect((await diagnosed([root])).text.split("\n")[1]).toBe(
    "Machine: host md-0-x7k2p · system Ubuntu 24.04.2 LTS · image cncf-upstream capi ubuntu-2404-gen1 133.1.1 · size Standard_D2s_v5 · Kubernetes v1.33.1 · runtime containerd 1.7.27 · provider kubeadm",
  );
});

test("what was not there is one line, and what was read a line each", async () => {
  put("var/log/cloud-init-output.log", output);
  const { text } = await diagnosed([root]);
  expect(text).toMatch(/\nRead:\n {2}\/var\/log\/cloud-init-output\.log: read, \d+ bytes\n/u);
  expect(text.match(/not-available/gu)).toBeNull();
  expect(text.match(/^Not there or empty: .{100,}$/gmu)).toHaveLength(1);
});

test("--brief stays below what Run Command hands back, with the verdict first and last", async () => {
  const long = Array.from({ length: 300 }, (_, index) => `${noHost} ä€ ${"x".repeat(200)} ${String(index)}`).join("\n");
  put("var/log/cloud-init-output.log", `${long}\n`);
  put("var/log/syslog", readFileSync("scripts/rules.json").subarray(0, 200_000));
  const { text } = await diagnosed([root], "brief");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(briefBytes);
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^Bootstrap failed \(/u);
  expect(lines.at(-1)).toBe(lines[0]);
  expect(text).toContain("Next: ");
});

test("of many machines the brief answer keeps the one that failed, and no folder's name makes a line of its own", async () => {
  const quiet = "[   12.345678] Linux version 6.8.0\nNov 21 03:14:07 node-1 systemd[1]: Started Session 1.\n";
  for (let index = 10; index < 45; index++) put(`c/m-${String(index)}/boot.log`, quiet);
  put("c/z-\nall is well/cloud-init-output.log", output);
  const { text, exitCode } = await diagnosed([root], "brief");
  expect(exitCode).toBe(1);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(briefBytes);
  expect(text.split("\n")[0]).toMatch(/^c\/z- all is well: Bootstrap failed \(DnsResolutionFailed\)/u);
});

/** As a user without rights: root may read everything. */
async function asNobody<Value>(body: () => Promise<Value>): Promise<Value> {
  if (process.getuid?.() !== 0) return body();
  // What is loaded lazily lies where nobody else may look.
  await body();
  process.seteuid?.(65_534);
  try {
    return await body();
  } finally {
    process.seteuid?.(0);
  }
}

describe("who may not read all of it", () => {
  const closed = ["cloud-init.log", "waagent.log", "cloud-init-output.log", "kern.log", "syslog"].map(
    (name) => `var/log/${name}`,
  );

  function close(...paths: readonly string[]): void {
    chmodSync(root, 0o755);
    put("rules.json", readFileSync("scripts/rules.json"));
    for (const path of paths) chmodSync(put(path, "systemd[1]: Started\n"), 0);
  }

  const asked = (host: Partial<Host> = {}, places: readonly string[] = [root]) =>
    asNobody(() =>
      runDiagnose(
        { ...fakeHost({ root: "/nonexistent" }), ...host },
        { format: "text", probes: false, places, rules: join(root, "rules.json") },
      ),
    );

  test("is told what could not be read, and no more than four of it, where nothing else tells of a bootstrap", async () => {
    close(...closed);
    const { text, exitCode } = await asked();
    expect(exitCode).toBe(3);
    expect(text).toMatch(
      /^capz-bootstrap diagnose: cannot tell: this user may not read (?:\/var\/log\/[\w.-]+, ){3}\/var\/log\/[\w.-]+ and 1 more\. Next: Run it as root \(sudo\), on Windows as an administrator\.\n$/u,
    );
    rmSync(join(root, "var/log/syslog"));
    expect((await asked()).text).not.toContain("more");
  });

  test("is told so beside a cause that was found", async () => {
    put("var/log/cloud-init-output.log", output);
    close("var/log/cloud-init.log");
    const { text, exitCode } = await asked();
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\)/u);
    expect(text).toContain(
      "This user may not read /var/log/cloud-init.log: the cause may stand there. Run it as root (sudo), on Windows as an administrator",
    );
    expect((await diagnosed([root])).text).not.toContain("may not read");
  });

  test("is told the same on the machine itself", async () => {
    close("var/log/cloud-init.log");
    expect(await live(() => asked({ root: "C:\\" }, []))).toMatchObject({
      exitCode: 3,
      text: expect.stringContaining("cannot tell: this user may not read"),
    });
    put("var/log/cloud-init-output.log", output);
    const { text, exitCode } = await live(() => asked({ root: "C:\\" }, []));
    expect(exitCode).toBe(1);
    expect(text).toMatch(
      /^Bootstrap failed[\s\S]*This user may not read \/var\/log\/cloud-init\.log: the cause may stand there/u,
    );
  });
});

/** Below a working folder where nothing else lies, C:\ is a folder there: to the command it is the machine itself. */
async function live<Value>(body: () => Promise<Value>): Promise<Value> {
  const cwd = process.cwd();
  const home = mkdtempSync(join(tmpdir(), "capz-live-"));
  chmodSync(home, 0o755);
  cpSync(root, join(home, "C:\\"), { recursive: true });
  process.chdir(home);
  try {
    return await body();
  } finally {
    process.chdir(cwd);
    rmSync(home, { recursive: true });
  }
}

describe("the machine itself", () => {
  const rules = resolve("scripts/rules.json");
  const here = (change: Partial<Host> = {}) =>
    live(() => runDiagnose({ ...fakeHost({ root: "C:\\" }), ...change }, { format: "text", probes: false, rules }));

  test("has its cause, and none where no bootstrap was begun", async () => {
    put("var/log/syslog", "Nov 21 03:14:07 web-1 systemd[1]: nginx.service: Failed with result 'exit-code'.\n");
    expect(await here()).toMatchObject({
      exitCode: 3,
      text: expect.stringMatching(/^capz-bootstrap diagnose: no bootstrap found on this machine: .*\n$/u),
    });
    put("var/log/cloud-init-output.log", output);
    const { text, exitCode } = await here();
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\)/u);
    expect(text).not.toContain("Warning");
  });

  test("of which no diagnosis could be made is told so, and nothing else", async () => {
    put("var/log/cloud-init-output.log", output);
    const monotonicMs = () => {
      throw new Error("no clock");
    };
    expect(await here({ monotonicMs })).toMatchObject({
      exitCode: 3,
      text: expect.stringMatching(/^capz-bootstrap diagnose: the diagnosis could not be made \(no clock\), [^\n]*\n$/u),
    });
  });

  test("is judged by the rules of the package, where no others are named", async () => {
    put("var/log/cloud-init-output.log", output);
    const programFolder = join(root, "program");
    put("program/bundle/rules.json", readFileSync(rules));
    const said = await live(() =>
      runDiagnose({ ...fakeHost({ root: "C:\\" }), programFolder }, { format: "brief", probes: false }),
    );
    expect(said).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(/^Bootstrap failed \(DnsResolutionFailed\)/u),
    });
    put("other.json", '{"version":2,"rules":[]}');
    const other = await runDiagnose(
      { ...fakeHost({ root }), programFolder },
      { format: "text", probes: false, rules: join(root, "other.json") },
    );
    expect(other).toMatchObject({ exitCode: 3, text: expect.stringContaining(`"${join(root, "other.json")}": `) });
  });
});

test("what was not read of an archive stands beside the answer, and nothing of it is left behind", async () => {
  const before = readdirSync(tmpdir());
  const archive = (name: string, log: string, content: string) =>
    put(
      name,
      makeTgz([
        { name: "../x.log", content: "x" },
        { name: `logs/${log}`, content },
      ]),
    );
  const refused = await diagnosed([archive("a.tgz", "readme", "x")]);
  expect(refused.text).toMatch(/holds no logs of a machine[^\n]*\nWarning: 1 [^\n]*\n$/u);
  const found = await diagnosed([archive("b.tgz", "cloud-init-output.log", output)]);
  expect(found.text).toMatch(/^Bootstrap failed.*Warnings:\n {2}1 /su);
  expect(readdirSync(tmpdir()).filter((name) => !before.includes(name))).toEqual([]);
});

test("several machines are told whole in each form: reports below their names, or why there is none", async () => {
  put("clusters/c/machines/bad/cloud-init-output.log", output);
  put("clusters/c/machines/bad/kubelet-version.txt", "Kubernetes v1.33.1\n");
  put(
    "clusters/c/machines/odd/cloud-init-output.log",
    "+ kubeadm join\n[preflight] Running pre-flight checks\nthe moon is in the way\n",
  );
  put("clusters/c/machines/web/cloud-init-output.log", "Cloud-init v. 24.1.3 finished\n");
  const { text } = await diagnosed([root]);
  const reports = text.split(/^=== (.*) ===$/mu);
  expect(reports.filter((_, index) => index % 2 === 1)).toEqual(
    ["bad", "odd", "web"].map((name) => `clusters/c/machines/${name}`),
  );
  expect(reports[2]).toMatch(/^\n\nBootstrap failed \(DnsResolutionFailed\)[\s\S]*\nMachine: /u);
  expect(reports[6]).toMatch(/^\n\ncapz-bootstrap diagnose: no bootstrap found in /u);
  const { machines } = JSON.parse((await diagnosed([root], "json")).text) as { readonly machines: unknown };
  expect(machines).toMatchObject([
    {
      place: "clusters/c/machines/bad",
      report: { body: [], diagnosis: { kind: "classified" }, machine: expect.any(Object) },
    },
    { report: { body: expect.arrayContaining([expect.any(String)]), diagnosis: { kind: "unclassified" } } },
    { place: "clusters/c/machines/web", error: expect.stringMatching(/^no bootstrap found in /u) },
  ]);
  const brief = (await diagnosed([root], "brief")).text.trimEnd().split("\n");
  expect(brief.map((line) => line.split(":")[0])).toEqual([
    ...["bad", "odd", "web"].map((name) => `clusters/c/machines/${name}`),
    "3 machines",
  ]);
});
