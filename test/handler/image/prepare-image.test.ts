import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHost } from "../../../handler/create-host.ts";
import type { Host } from "../../../handler/host.ts";
import { askedParts } from "../../../handler/image/image-part.ts";
import { linuxParts } from "../../../handler/image/parts-linux.ts";
import { windowsParts } from "../../../handler/image/parts-windows.ts";
import { prepareImage } from "../../../handler/operations/people/prepare-image.ts";
import { isStopped } from "../../../handler/operations/stop-mark.ts";
import { supervisorLock } from "../../../handler/operations/supervisor.ts";
import { linux } from "../../../handler/platform/linux.ts";
import { acquireLock } from "../../../handler/state/exclusive-lock.ts";
import { buildCheck } from "../../../publish/check-bundle.ts";
import { readScenarios, type Scenario } from "../../../scripts/dev/read-scenarios.ts";
import { layOut, type ScenarioMachine } from "../../support/scenario-machine.ts";

const standIns = join(import.meta.dirname, "../../fixtures/scenario-bin");
let programFolder = "";
let scenarios: readonly Scenario[] = [];
let machine: ScenarioMachine;
let host: Host;

beforeAll(async () => {
  programFolder = await mkdtemp(join(tmpdir(), "capz-program-"));
  await mkdir(join(programFolder, "bundle"));
  await writeFile(join(programFolder, "bundle/check.cjs"), await buildCheck());
  scenarios = await readScenarios(join(import.meta.dirname, "../../fixtures/scenarios"));
});

async function take(name: string): Promise<void> {
  const scenario = scenarios.find((known) => known.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  machine = await layOut(scenario);
  const real = createHost(linux);
  host = {
    ...real,
    root: machine.root,
    programFolder,
    platform: linux,
    now: () => new Date(machine.nowMs()),
    run: (file, args, options) => {
      if (args[0] === "stop") throw new Error("a machine below a folder has no services, and these are this machine's");
      return real.run(file, args, {
        ...options,
        env: { ...options?.env, PATH: `${standIns}:${process.env["PATH"] ?? ""}` },
      });
    },
  };
}

const at = (path: string): string => join(machine.root, path);
const there = (path: string): boolean => existsSync(at(path));

async function put(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), `content of ${path}`);
  }
}

const run = (options: Partial<Parameters<typeof prepareImage>[1]> = {}) =>
  prepareImage(host, { asked: [], dryRun: false, json: false, verbose: false, ...options });

const handler = "var/lib/waagent/Example.CAPZ.Linux.Bootstrapping-2.0.0";
const ofOurs = [
  "var/lib/capz-bootstrap/Example.CAPZ.Linux.Bootstrapping/0.json",
  `${handler}/mrseq`,
  `${handler}/status/0.status`,
  `${handler}/config/0.settings`,
  "etc/cluster-api/bootstrap-success.complete",
];
const ofOthers = [
  "var/lib/waagent/Other.Extension-1.0.0/mrseq",
  `${handler}/HandlerManifest.json`,
  "var/lib/kubelet/config.yaml",
  "var/lib/cloud/instances/i-1/user-data.txt",
  "etc/machine-id",
  "var/log/journal/1/system.journal",
  "home/admin/.bash_history",
];

afterEach(() => machine.remove());

describe("a machine that is a working node", () => {
  beforeEach(async () => {
    await take("kubeadm-rebooted-after-success");
    await put(...ofOurs, ...ofOthers);
  });

  test("loses our state, the agent's state of us and old sentinels, and nothing else, unless it is asked", async () => {
    const { text, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(ofOurs.filter(there)).toEqual([]);
    expect(ofOthers.filter((path) => !there(path))).toEqual([]);
    expect(there("etc/kubernetes/kubelet.conf")).toBe(true);
    expect(text).toContain("Removed: state of this extension");
    expect(text).toContain("Kept: what people typed (--shell-history removes it)\n  /home/admin/.bash_history");
    expect(text).toContain("switch it off now");
  });

  test("leaves the mark of an end before it looks who is at work: who is being started holds no lock yet", async () => {
    const instance = at("var/lib/capz-bootstrap/Example.CAPZ.Linux.Bootstrapping");
    const { bootId } = await linux.machineIdentity(machine.root, host.run);
    await acquireLock(supervisorLock({ host, instance }, bootId), {
      ...{ pid: 4_000_000, startTime: "the other one", bootId, sequence: 0, handlerVersion: "2.0.0" },
      ...{ statusFolder: at(`${handler}/status`), marker: "marker-of-the-other" },
    });
    const marked: [when: string, isMarked: boolean][] = [];
    const mark = (when: string) => marked.push([when, isStopped({ instance })]);
    const isSameProcess = (): Promise<boolean> => Promise.resolve(mark("look") > 0);
    const stopSupervisor = (): Promise<void> => Promise.resolve(void mark("stop"));
    host = { ...host, platform: { ...linux, isSameProcess, stopSupervisor } };
    expect((await run({ dryRun: true })).exitCode).toBe(0);
    expect([marked, isStopped({ instance })]).toEqual([[], false]);
    expect((await run()).exitCode).toBe(0);
    expect(marked).toEqual([
      ["look", true],
      ["stop", true],
    ]);
    expect(isStopped({ instance })).toBe(false);
  });

  test("--dry-run lists what would go and changes nothing", async () => {
    const before = readdirSync(machine.root, { recursive: true }).length;
    const { text, exitCode } = await run({ dryRun: true, asked: askedParts });
    expect(exitCode).toBe(0);
    expect(text).toContain(`Would remove: ${linuxParts.find(({ name }) => name === "node-identity")?.what ?? "?"}`);
    expect(text).toContain("  /etc/kubernetes/kubelet.conf");
    expect(text).toContain("Nothing was changed");
    expect(readdirSync(machine.root, { recursive: true }).length).toBe(before);
  });

  test("what --dry-run lists is what goes, each thing once, and a second run finds nothing", async () => {
    await put(
      "etc/kubernetes/admin.conf",
      "var/lib/etcddisk/etcd/member/wal",
      "etc/systemd/system/k3s-agent.service.env",
    );
    await put(
      "var/lib/rancher/rke2/agent/pod-manifests/etcd.yaml",
      "var/lib/rancher/rke2/agent/etc/x-load-balancer.json",
    );
    await put("var/lib/rancher/rke2/agent/etc/other.json", "etc/systemd/system/kubelet.service.env");
    const items = async (dryRun: boolean): Promise<readonly string[]> => {
      const { parts } = JSON.parse((await run({ dryRun, asked: askedParts, json: true })).text) as {
        readonly parts: readonly { readonly items: readonly { readonly shown: string }[] }[];
      };
      return parts.flatMap((part) => part.items.map(({ shown }) => shown));
    };
    const planned = await items(true);
    expect(new Set(planned).size).toBe(planned.length);
    expect(planned).toContain("/var/lib/etcddisk/etcd/member");
    expect(planned).toContain("/etc/systemd/system/k3s-agent.service.env");
    expect(planned).toContain("/var/lib/rancher/rke2/agent/pod-manifests/etcd.yaml");
    expect(await items(false)).toEqual(planned);
    expect(planned.filter((path) => path !== "/etc/machine-id" && there(path))).toEqual([]);
    expect(there("var/lib/rancher/rke2/agent/etc/other.json")).toBe(true);
    expect(there("etc/systemd/system/kubelet.service.env")).toBe(true);
    expect(await items(false)).toEqual([]);
  });

  test("a folder that is a link to another disk is cleared where it lies, and never outside of the machine", async () => {
    const outside = await mkdtemp(join(tmpdir(), "capz-outside-"));
    await writeFile(join(outside, "precious"), "x");
    await put("mnt/etcd/member/wal", "mnt/other");
    await symlink("/mnt/etcd", at("var/lib/etcd"));
    await rm(at("var/log/journal"), { recursive: true });
    await symlink(outside, at("var/log/journal"));
    await symlink("journal-2", at("var/log/journal-2"));
    const { text } = await run({ asked: askedParts });
    expect(text).toContain("  /var/lib/etcd/member");
    expect([there("mnt/etcd/member"), there("mnt/etcd"), there("mnt/other")]).toEqual([false, true, true]);
    expect(readdirSync(outside)).toEqual(["precious"]);
    await rm(outside, { recursive: true });
  });

  test("a folder that is a link to one of another name, or to one around it, is left alone and named with where it leads", async () => {
    await put("mnt/shared/backups/precious", "home/ops/notes");
    await rm(at("var/lib/etcd"), { recursive: true, force: true });
    await symlink("/mnt/shared/backups", at("var/lib/etcd"));
    await rm(at("etc/kubernetes/pki"), { recursive: true, force: true });
    await symlink("../..", at("etc/kubernetes/pki"));
    await rm(at("etc/kubernetes/manifests"), { recursive: true, force: true });
    await symlink("/home/ops", at("etc/kubernetes/manifests"));
    const planned = await run({ asked: askedParts, dryRun: true });
    const kept = await run({ dryRun: true });
    const { text, exitCode } = await run({ asked: askedParts });
    for (const said of [planned.text, kept.text, text])
      for (const [link, target] of [
        ["/var/lib/etcd", "/mnt/shared/backups"],
        ["/etc/kubernetes/pki", "/"],
        ["/etc/kubernetes/manifests", "/home/ops"],
      ])
        expect(said).toContain(`  ${String(link)} — left alone: it is a link to ${String(target)}\n`);
    expect([planned.exitCode, kept.exitCode, exitCode]).toEqual([3, 0, 3]);
    expect([planned.text.includes("Next: look there"), kept.text.includes("Next: look there")]).toEqual([true, false]);
    expect(text).toMatch(/3 left alone: [^\n]*Next: look there[^\n]*run this again\.$/);
    await rm(at("var/lib/etcd"));
    await rm(at("etc/kubernetes/pki"));
    await rm(at("home/ops/notes"));
    const again = await run({ asked: askedParts });
    expect([again.exitCode, again.text.includes("left alone")]).toEqual([0, false]);
    await put("home/ops/notes");
    expect([there("mnt/shared/backups/precious"), there("home/ops/notes"), there("etc/kubernetes")]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("the certificate that the kubelet's kubeconfig names goes with it, wherever it lies, and nothing else that it names", async () => {
    const kubeconfig = ["client-certificate: /data/pki/kubelet-client-current.pem", "client-key: /etc/passwd"];
    await put(
      "data/pki/kubelet-client-2026.pem",
      "data/pki/kubelet-client-current.pem",
      "data/pki/ca.pem",
      "data/pki/kubelet.key",
      "etc/passwd",
    );
    await writeFile(at("etc/kubernetes/kubelet.conf"), `users:\n- user:\n    ${kubeconfig.join("\n    ")}\n`);
    await put("var/lib/capz-bootstrap/prepared-image.json");
    const { vmId } = await linux.machineIdentity(machine.root, host.run);
    await writeFile(at("var/lib/capz-bootstrap/prepared-image.json"), JSON.stringify({ vmId, preparedAt: "now" }));
    const { text } = await run({ asked: ["node-identity"] });
    expect(text).toContain("  /data/pki/kubelet-client-2026.pem\n  /data/pki/kubelet-client-current.pem\n");
    expect([there("etc/passwd"), readdirSync(at("data/pki"))]).toEqual([true, ["ca.pem"]]);
    expect(text).not.toContain("prepared-image.json");
  });

  test("--verbose names every single thing on standard error, where the answer lists the first of each part", async () => {
    await put(...Array.from({ length: 30 }, (_, index) => `home/user-${String(index)}/.bash_history`));
    const written: string[] = [];
    const aside = jest.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
    const { text } = await run({ asked: ["shell-history"], verbose: true }).finally(() => {
      aside.mockRestore();
    });
    expect(text).toContain("… and 11 more");
    const removed = written.join("").match(/^info {3}removed: \/home\/.*$/gmu);
    expect(removed).toHaveLength(31);
    expect(removed).toContain("info   removed: /home/user-29/.bash_history");
  });

  test("each flag removes its own part only", async () => {
    await run({ asked: ["shell-history"] });
    expect([
      there("home/admin/.bash_history"),
      there("etc/kubernetes/kubelet.conf"),
      there("var/log/journal/1"),
    ]).toEqual([false, true, true]);
    await run({ asked: ["node-identity", "machine-id", "journals"] });
    expect([there("etc/kubernetes/kubelet.conf"), there("var/log/journal/1"), there("var/log/journal")]).toEqual([
      false,
      false,
      true,
    ]);
    expect(readFileSync(at("etc/machine-id"), "utf8")).toBe("");
    expect(there("var/lib/cloud/instances/i-1/user-data.txt")).toBe(true);
    await run({ asked: ["instance-data", "kubeadm-leftovers"] });
    expect([there("var/lib/cloud/instances/i-1"), there("var/lib/kubelet/config.yaml")]).toEqual([false, false]);
  });

  test("a second run is no refusal, although the node is gone by then, and finds nothing left", async () => {
    await run({ asked: ["node-identity"] });
    const { text, exitCode } = await run({ asked: ["node-identity"] });
    expect(exitCode).toBe(0);
    expect(text).toContain("prepared before");
    expect(text).toMatch(/Removed: the identity of this node[^\n]*: nothing is there/);
  });

  test("the mark of a preparation is no permission on a clone, which has another VM id", async () => {
    await run({ asked: ["node-identity"] });
    await writeFile(at("sys/class/dmi/id/product_uuid"), "11111111-2222-3333-4444-555555555555\n");
    expect((await run()).exitCode).toBe(1);
  });

  test("a link of a machine below a folder leads to its own files, never to this machine's", async () => {
    const ours = await mkdtemp(join(tmpdir(), "capz-this-machine-"));
    const files = { id: join(ours, "machine-id"), history: join(ours, "person", ".bash_history") };
    await mkdir(dirname(files.history));
    for (const file of Object.values(files)) await writeFile(file, "precious");
    await rm(at("etc/machine-id"));
    await symlink(files.id, at("etc/machine-id"));
    await symlink(dirname(files.history), at("home/person"));
    await put(`.${files.id}`);
    const { exitCode } = await run({ asked: ["machine-id", "shell-history"] });
    expect(exitCode).toBe(0);
    expect(readFileSync(files.history, "utf8")).toBe("precious");
    expect(readFileSync(files.id, "utf8")).toBe("precious");
    expect(readFileSync(at(`.${files.id}`), "utf8")).toBe("");
  });

  test("a link is removed and what it points to stays", async () => {
    await put("srv/precious");
    await symlink(at("srv/precious"), at("home/admin/.zsh_history"));
    await symlink(at("srv"), at(`${handler}/status/1.status`));
    await run({ asked: ["shell-history"] });
    expect([there("home/admin/.zsh_history"), there(`${handler}/status/1.status`), there("srv/precious")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("--json gives the same as data", async () => {
    const { text } = await run({ json: true, dryRun: true });
    expect(JSON.parse(text)).toMatchObject({
      kind: "prepared",
      dryRun: true,
      parts: expect.arrayContaining([
        expect.objectContaining({ name: "own-state", treatment: "would-remove" }),
        expect.objectContaining({
          name: "shell-history",
          treatment: "kept",
          items: [{ shown: "/home/admin/.bash_history" }],
        }),
      ]),
    });
  });
});

describe("an odd donor", () => {
  test("that was cut off in the middle of its preparation goes on, although it is no node any more", async () => {
    await take("kubeadm-rebooted-after-success");
    let wasCut = false;
    const cutOff: Host = {
      ...host,
      now: () => {
        if (wasCut || there("etc/kubernetes/kubelet.conf")) return host.now();
        wasCut = true;
        throw new Error("power cut");
      },
    };
    const options = { asked: askedParts, dryRun: false, json: false, verbose: false };
    await expect(prepareImage(cutOff, options)).rejects.toThrow("power cut");
    const { exitCode, text } = await run({ asked: askedParts });
    expect([exitCode, text.includes("prepared before")]).toEqual([0, true]);
  });

  test.each([
    [
      "k3s-rebooted-after-success",
      [
        "var/lib/rancher/k3s/server/tls/server-ca.key",
        "var/lib/rancher/k3s/server/token",
        "etc/rancher/k3s/config.yaml",
      ],
    ],
    [
      "rke2-rebooted-after-success",
      ["var/lib/rancher/rke2/server/db/etcd/member/wal/0.wal", "etc/rancher/rke2/config.yaml"],
    ],
    ["k0s-rebooted-after-success", ["var/lib/k0s/pki/ca.key", "var/lib/k0s/etcd/member/snap/db", "etc/k0s.token"]],
  ])("of another provider loses its cluster's keys, data and tokens when that is asked: %s", async (name, files) => {
    await take(name);
    const ofImage = ["etc/rancher/k3s/registries.yaml", "etc/rancher/rke2/registries.yaml"];
    await put(...files, ...ofImage);
    expect((await run()).exitCode).toBe(0);
    expect(files.filter(there)).toEqual(files);
    expect((await run({ asked: ["kubeadm-leftovers"] })).exitCode).toBe(0);
    expect([...files, ...ofImage].filter(there)).toEqual(ofImage);
  });

  test("whose kubelet lies on another disk, by a link, is cleared there; the link and its neighbours stay", async () => {
    await take("kubeadm-rebooted-after-success");
    await mkdir(at("mnt/data"), { recursive: true });
    await rename(at("var/lib/kubelet"), at("mnt/data/kubelet"));
    await symlink("/mnt/data/kubelet", at("var/lib/kubelet"));
    await put("mnt/data/kubelet/pki/kubelet.crt", "mnt/data/other");
    expect((await run({ asked: ["node-identity"] })).exitCode).toBe(0);
    expect(readdirSync(at("mnt/data/kubelet/pki"))).toEqual([]);
    expect([lstatSync(at("var/lib/kubelet")).isSymbolicLink(), there("mnt/data/other")]).toEqual([true, true]);
  });

  test("with links in a circle, links to nowhere and a file in the place of a folder loses what it can", async () => {
    await take("kubeadm-rebooted-after-success");
    await rm(at("var/lib/capz-bootstrap"), { recursive: true, force: true });
    await put("var/lib/rancher", "var/lib/k0s");
    await symlink("gone", at("etc/kubernetes/controller-manager.conf"));
    await mkdir(at("var/lib/etcd-1"), { recursive: true });
    await symlink("../etcd", at("var/lib/etcd-1/loop"));
    await symlink("etcd-1/loop", at("var/lib/etcd"));
    const { exitCode } = await run({ asked: askedParts });
    expect(exitCode).toBe(0);
    expect(lstatSync(at("etc/kubernetes/controller-manager.conf"), { throwIfNoEntry: false })).toBeUndefined();
    expect(there("var/lib/rancher")).toBe(true);
  });

  test("with a file in the place of our folder is told what failed", async () => {
    await take("kubeadm-rebooted-after-success");
    await rm(at("var/lib/capz-bootstrap"), { recursive: true, force: true });
    await put("var/lib/capz-bootstrap");
    expect((await run({ asked: ["node-identity"] })).exitCode).toBe(0);
    expect(there("etc/kubernetes/kubelet.conf")).toBe(false);
  });
});

test.each(["kubeadm-hung-init", "kubeadm-failed-cloud-init-errors"])(
  "%s is refused with what the check says, and nothing is touched",
  async (name) => {
    await take(name);
    await put(...ofOurs);
    const { text, exitCode } = await run({ asked: askedParts });
    expect(exitCode).toBe(1);
    expect(text).toContain("is no donor");
    expect(text).toContain("Nothing was changed");
    expect(ofOurs.filter((path) => !there(path))).toEqual([]);
  },
);

test("both systems have the same parts, with the same words for what is the same", async () => {
  await take("kubeadm-rebooted-after-success");
  expect(windowsParts.map(({ name, when }) => ({ name, when }))).toEqual(
    linuxParts.map(({ name, when }) => ({ name, when })),
  );
  expect(linuxParts.filter(({ when }) => when === "asked").map(({ name }) => name)).toEqual([...askedParts]);
});

/** Makes the machine one that was prepared before, so that no check is asked. */
async function mark(change: Partial<Host["platform"]> = {}): Promise<void> {
  await take("kubeadm-rebooted-after-success");
  host = { ...host, platform: { ...linux, ...change } };
  const { vmId } = await linux.machineIdentity(machine.root, host.run);
  await mkdir(at("var/lib/capz-bootstrap"), { recursive: true });
  await writeFile(at("var/lib/capz-bootstrap/prepared-image.json"), JSON.stringify({ vmId, preparedAt: "now" }));
}

async function asideOf(body: () => Promise<unknown>): Promise<string> {
  const written: string[] = [];
  const aside = jest.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  await body().finally(() => {
    aside.mockRestore();
  });
  return written.join("");
}

const key = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";

describe("what cannot be done", () => {
  test("stays in the answer with its reason, on standard error where that is wanted, and in the exit code", async () => {
    await mark({ name: "windows" });
    const why = "only the running Windows itself can do that";
    let answer = await run({ asked: ["instance-data"], dryRun: true });
    expect(answer).toMatchObject({ exitCode: 0, text: expect.stringContaining(`  ${key}\n`) });
    const aside = await asideOf(async () => {
      answer = await run({ asked: ["instance-data"], verbose: true });
    });
    expect(aside).toContain(`error  not removed: ${key}: ${why}\n`);
    expect(aside).toContain("info   kept: C:\\etc\\kubernetes\\kubelet.conf\n");
    expect(answer.exitCode).toBe(3);
    expect(answer.text).toContain(`Removed: what cloudbase-init keeps of this instance`);
    expect(answer.text).toContain(`  ${key} — still there: ${why}\n`);
    expect(answer.text).toMatch(/^1 could not be removed\. Next: remove them by hand, or run this again\.$/mu);
    expect(JSON.parse((await run({ asked: ["instance-data"], json: true })).text)).toMatchObject({
      parts: expect.arrayContaining([
        expect.objectContaining({ name: "instance-data", items: [{ shown: key, failure: why }] }),
      ]),
    });
  });

  test("is told of an end that cannot be marked; what is no instance is not asked to end", async () => {
    await mark();
    await put("var/lib/capz-bootstrap/a-file");
    expect(await asideOf(() => run())).toBe("");
    await mkdir(at("var/lib/capz-bootstrap/instance/stopped/x"), { recursive: true });
    expect(await asideOf(() => run())).toMatch(
      /^capz-bootstrap prepare-image: A supervisor that is being started cannot be told to end: .*\n$/u,
    );
  });

  test("is no look at the machine: then nobody knows whether it is a node", async () => {
    await take("kubeadm-hung-init");
    const seen = await run();
    expect(seen.text.split("\n")).toEqual([
      "This machine is no donor: it is not a working node now, so its clones would not be either. Nothing was changed.",
      "What the check says:",
      "  verdict:     not yet",
      ...Array.from({ length: seen.text.split("\n").length - 4 }, () =>
        expect.stringMatching(/^ {2}[a-z][a-z -]+: +\S/u),
      ),
      "Next: wait for success, or capture another machine.",
    ]);
    host = { ...host, programFolder: "/none/at/all" };
    const { text, exitCode } = await run();
    expect(exitCode).toBe(1);
    expect(text).toMatch(
      /^The machine could not be looked at, so nobody knows whether it is a working node\. Nothing was changed\.\nWhat the check says:\n {2}capz-bootstrap check: .*check\.cjs[^\n]*$/u,
    );
    expect(JSON.parse((await run({ json: true })).text)).toMatchObject({ kind: "refused", isSeen: false });
  });
});

test("what is kept for its own flag still goes with another part that names it, too", async () => {
  await mark();
  await put("etc/kubernetes/pki/kubelet-client.key", "home/a/.bash_history");
  const { text } = await run({ asked: ["kubeadm-leftovers"] });
  expect(there("etc/kubernetes/pki/kubelet-client.key")).toBe(false);
  expect(text).toMatch(/^Kept: the identity of this node[^\n]* \(--node-identity removes it\)$/mu);
  await rm(at("home/a"), { recursive: true });
  expect((await run()).text).toMatch(/^Kept: what people typed: nothing is there$/mu);
});

test("an answer lists twenty things of a part and counts the others", async () => {
  await mark();
  for (const [most, last] of [
    [20, /\/home\/user-9\/\.bash_history$/u],
    [21, / {2}… and 1 more$/u],
  ] as const) {
    await put(...Array.from({ length: most }, (_, index) => `home/user-${String(index)}/.bash_history`));
    const lines = (await run({ dryRun: true, asked: ["shell-history"] })).text.split("\n");
    expect(lines.slice(lines.indexOf("Would remove: what people typed") + 1, -1)).toHaveLength(most);
    expect(lines.at(-2)).toMatch(last);
  }
});

describe("the running machine", () => {
  const calls: (readonly [string, readonly string[]])[] = [];
  let home = "";
  let queryCode = 0;

  /** Below a working folder where nothing else lies, C:\ is a folder there: what stops services takes it for the running machine. */
  async function live(name: "linux" | "windows", options: Partial<Parameters<typeof prepareImage>[1]>) {
    const cwd = process.cwd();
    home = await mkdtemp(join(tmpdir(), "capz-live-"));
    const root = "C:\\";
    await mark({ name });
    await put(...ofOurs);
    await rename(machine.root, join(home, root));
    await symlink(join(home, root), machine.root);
    calls.length = 0;
    host = {
      ...host,
      root,
      env: { SystemRoot: "S:\\Win" },
      run: (file, args) => {
        calls.push([file, args]);
        const nothing = Buffer.alloc(0);
        return Promise.resolve({
          kind: "exited",
          code: args[0] === "query" ? queryCode : 0,
          stdout: nothing,
          stderr: nothing,
        });
      },
    };
    process.chdir(home);
    try {
      const first = await run(options);
      // Of which nothing is left by then.
      if (name === "linux") await run(options);
      return first;
    } finally {
      process.chdir(cwd);
    }
  }
  afterEach(() => {
    queryCode = 0;
    return rm(home, { recursive: true, force: true });
  });

  test("has the services stopped that would write again, of those parts alone of which something is there", async () => {
    const services = linuxParts.find(({ name }) => name === "node-identity")?.services ?? [];
    expect((await live("linux", { asked: ["node-identity", "shell-history"] })).exitCode).toBe(0);
    expect(calls).toEqual([["systemctl", ["stop", ...services]]]);
    await live("linux", { asked: ["node-identity"], dryRun: true });
    expect(calls).toEqual([]);
  });

  test("that is Windows is asked by its own programs, in its own folder", async () => {
    const { exitCode } = await live("windows", { asked: ["node-identity", "instance-data", "journals"] });
    expect(exitCode).toBe(0);
    const folder = join("S:\\Win", "System32");
    expect(calls).toEqual([
      ...["kubelet", "k0sworker"].map((service) => [join(folder, "sc.exe"), ["stop", service]]),
      ...[["query"], ["delete", "/f"]].map(([verb = "", ...flags]) => [join(folder, "reg.exe"), [verb, key, ...flags]]),
      ...["Application", "System"].map((log) => [join(folder, "wevtutil.exe"), ["clear-log", log]]),
    ]);
  });

  test.each([
    [1, 0, "Removed: what cloudbase-init keeps", ": nothing is there"],
    [5, 3, `  ${key}`, " — still there: reg.exe ended with exit code 5"],
  ])("has no key where reg.exe ends with 1; what it cannot tell (%i) is told", async (...row) => {
    const [code, exitCode, ...words] = row;
    queryCode = code;
    const answer = await live("windows", { asked: ["instance-data"] });
    expect(answer.exitCode).toBe(exitCode);
    for (const word of words) expect(answer.text).toContain(word);
    expect(calls.map(([, [verb]]) => verb)).toEqual(["query"]);
  });
});
