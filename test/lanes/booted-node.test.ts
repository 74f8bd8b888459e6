import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bootNode, type BootedNode } from "../support/booted-node.ts";
import { waitUntil } from "../support/wait-until.ts";
import { capiUserData, endpointHost, sentinel, writeStandIns, type KubeadmBehaviour } from "./capi-user-data.ts";
import { laneOfGenerations, testOnFirst } from "./generations.ts";
import {
  callHandler,
  handlerFolder,
  handlerLayer,
  privateFolder,
  readRunState,
  readStatus,
  waitForStatus,
  waitForVerdict,
  writeHandlerEnvironment,
  writeSettings,
  type HandlerOnNode,
} from "./handler-on-node.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage, type HandlerPackage } from "./real-package.ts";
import { runningSupervisor, supervisorUnits } from "./supervisor-unit.ts";

laneOfGenerations("a booted node with systemd and cloud-init", (generation) => {
  const testOnce = testOnFirst(generation);
  let handlerPackage: HandlerPackage;
  let layer: string;
  const nodes: BootedNode[] = [];

  beforeAll(async () => {
    handlerPackage = await buildPackage("Linux");
    layer = await handlerLayer(handlerPackage);
  });

  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.dispose();
  });

  interface Scenario {
    readonly kubeadm: KubeadmBehaviour;
    readonly userData?: string;
    readonly settings?: Readonly<Record<string, string>>;
    readonly resolver?: string;
    /** In place of the one that Debian ships. */
    readonly containerdConfig?: string;
  }

  /** Boots a node on which the agent has already unpacked the handler and written sequence 0. */
  async function boot(scenario: Scenario): Promise<HandlerOnNode> {
    const { version } = handlerPackage;
    const node = await bootNode({
      generation,
      layers: [layer],
      userData: scenario.userData ?? capiUserData(),
      prepare: async (files) => {
        await writeStandIns(files, scenario.kubeadm);
        await writeHandlerEnvironment(files, version);
        await writeSettings(files, version, { sequence: 0, publicSettings: scenario.settings ?? {} });
        if (scenario.containerdConfig !== undefined) {
          await files.write("/etc/containerd/config.toml", scenario.containerdConfig);
        }
        if (scenario.resolver !== undefined) await files.write("/etc/resolv.conf", `nameserver ${scenario.resolver}\n`);
      },
    });
    nodes.push(node);
    return { node, version, sequence: 0 };
  }

  /** What the agent does after it has unpacked a new handler. */
  async function installAndEnable(handler: HandlerOnNode): Promise<void> {
    await callHandler(handler, "install");
    await callHandler(handler, "enable");
  }

  /** Gate in the user data: bootstrap goes on when the test says so. */
  const gate = "/var/tmp/gate";
  const gated = capiUserData({ preKubeadmCommands: [`while [ ! -e ${gate} ]; do sleep 0.05; done`] });

  test("a node that joins is a success, with the kubelet really running", async () => {
    const handler = await boot({ kubeadm: "joins", userData: gated });
    const packages = ["systemd", "cloud-init", "containerd", "openssl"];
    printVersions(`booted-node, ${generation} system`, await handler.node.run(["dpkg-query", "--show", ...packages]));
    await installAndEnable(handler);
    await waitForStatus(handler, "progress", ({ kind, message }) => kind === "transitioning" && message !== "");
    await handler.node.write(gate, "");
    const status = await waitForVerdict(handler);
    expect(status).toMatchObject({ kind: "success", code: 0 });
    expect(await handler.node.run(["systemctl", "is-active", "kubelet.service"])).toBe("active\n");
    await waitUntil("the supervisor to end", async () => (await supervisorUnits(handler.node)).length === 0);

    const { substatuses } = await waitForStatus(handler, "the proof", (told) => told.substatuses.has("BootstrapProof"));
    const version = /(?<= v?)\d+\.\d+\.\d\S*/u.exec(await handler.node.run(["containerd", "--version"]))?.[0];
    expect(version).toBeDefined();
    expect(JSON.parse(substatuses.get("BootstrapProof") ?? "")).toMatchObject({
      versions: { containerd: expect.stringContaining(version ?? "none") },
    });
  });

  test("a containerd that refuses its configuration: the cause is what it wrote into the journal", async () => {
    const handler = await boot({
      kubeadm: "asks-runtime",
      containerdConfig: 'version = 2\n[plugins."io.containerd.grpc.v1.cri"\n',
    });
    await installAndEnable(handler);
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toContain("Bootstrap failed (ContainerRuntimeNotRunning)");
    expect(status.firstLine).toMatch(/expected '\]'|expecting a table key/u);
    const journal = await handler.node.run(["journalctl", "--no-pager", "-o", "cat", "-u", "containerd"]);
    expect(journal).toContain("TOML");
  });

  test("a containerd that answers: the same kubeadm joins", async () => {
    const handler = await boot({ kubeadm: "asks-runtime" });
    await installAndEnable(handler);
    expect(await waitForVerdict(handler)).toMatchObject({ kind: "success", code: 0 });
  });

  test("a kubeadm join that fails is an error that quotes kubeadm", async () => {
    const handler = await boot({ kubeadm: "preflight-fails" });
    await installAndEnable(handler);
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toMatch(/^Bootstrap failed \(\w+\)/u);
    expect(status.message).toContain("ca.crt already exists");
    expect(status.code).toBeGreaterThan(0);
  });

  test("a failed command before kubeadm does not fail a node that joined; the status tells of it", async () => {
    const handler = await boot({
      kubeadm: "joins",
      userData: capiUserData({ preKubeadmCommands: ["/usr/local/bin/prepare-disks.sh"] }),
    });
    await installAndEnable(handler);
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("success");
    expect(status.message).toContain("prepare-disks.sh");
  });

  test("a kubeadm that hangs fails at the deadline, and the status names what still ran", async () => {
    const handler = await boot({ kubeadm: "hangs", settings: { timeoutSeconds: "30", graceSeconds: "0" } });
    await installAndEnable(handler);
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toMatch(/after [3-9]\d s/u);
    expect(status.firstLine).toContain("still running: ");
    expect(status.firstLine).toContain("kubeadm (");
    // Nothing of the node's own bootstrap is ended by us.
    expect((await handler.node.exec(["pgrep", "-f", "kubeadm join"])).code).toBe(0);
  });

  test("a reboot in mid-run: the deadline goes on, and the sentinel of the new boot gives success", async () => {
    const handler = await boot({ kubeadm: "hangs", settings: { timeoutSeconds: "900" } });
    const { node } = handler;
    await installAndEnable(handler);
    await waitForStatus(handler, "progress", ({ kind }) => kind === "transitioning");
    const before = await readRunState(handler);
    await node.reboot();
    await callHandler(handler, "enable");
    const after = await readRunState(handler);
    expect(after.startedAt).toBe(before.startedAt);
    expect((await readStatus(handler))?.kind).toBe("transitioning");
    await node.run(["sh", "-c", `mkdir -p /run/cluster-api && echo success >${sentinel}`]);
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  test("a power cut in mid-run is survived like a reboot", async () => {
    const handler = await boot({ kubeadm: "hangs", settings: { timeoutSeconds: "900" } });
    const { node } = handler;
    await installAndEnable(handler);
    await waitForStatus(handler, "progress", ({ kind }) => kind === "transitioning");
    await node.powerOff();
    await node.powerOn();
    await callHandler(handler, "enable");
    await waitUntil("the supervisor to be back", () => runningSupervisor(node));
    await node.run(["sh", "-c", `mkdir -p /run/cluster-api && echo success >${sentinel}`]);
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  test("the end of the agent's service does not touch the supervisor; a second enable finds it at work", async () => {
    const handler = await boot({ kubeadm: "hangs" });
    const { node } = handler;
    await callHandler(handler, "install");
    // callHandler's service has ended when it returns, and systemd has killed all that was left in it.
    await callHandler(handler, "enable");
    const first = await waitUntil("the supervisor", () => runningSupervisor(node));
    await callHandler(handler, "enable");
    expect((await runningSupervisor(node))?.pid).toBe(first.pid);
    await node.run(["sh", "-c", `echo success >${sentinel}`]);
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  test("the supervisor and every descendant live in one control group; a user's command has the agent's shares and limits", async () => {
    const handler = await boot({
      kubeadm: "hangs",
      settings: { commandToExecute: "setsid sleep 4321 & (sleep 4322 &) ; sleep 4323" },
    });
    const { node } = handler;
    await installAndEnable(handler);
    await waitUntil("the command's children", async () => {
      const found = await node.exec(["pgrep", "-fc", "^sleep 432[123]$"]);
      return found.stdout.trim() === "3";
    });
    const unit = await waitUntil("the supervisor", () => runningSupervisor(node));
    expect(unit.cpuWeight).toBe("100");
    expect(unit.ioWeight).toBe("100");
    expect(Number(unit.oomScoreAdjust)).toBeGreaterThan(0);
    const pids = (await node.run(["pgrep", "-f", "^sleep 432[123]$"])).trim().split("\n");
    for (const pid of [...pids, String(unit.pid)]) {
      const groups = await node.run(["cat", `/proc/${pid}/cgroup`]);
      expect(groups.split("\n").find((line) => line.startsWith("0::"))).toBe(`0::${unit.controlGroup}`);
      const expected = pid === String(unit.pid) ? unit.oomScoreAdjust : "0";
      expect((await node.run(["cat", `/proc/${pid}/oom_score_adj`])).trim()).toBe(expected);
    }
    await callHandler(handler, "disable");
    expect((await node.exec(["pgrep", "-f", "^sleep 432[123]$"])).stdout).toBe("");
    expect((await readStatus(handler))?.kind).toBe("transitioning");
  });

  test("kill -9 of the supervisor: systemd starts it again at once and it resumes, again and again", async () => {
    const handler = await boot({ kubeadm: "hangs", settings: { timeoutSeconds: "900" } });
    const { node } = handler;
    await installAndEnable(handler);
    const { startedAt } = await readRunState(handler);
    for (let round = 0; round < 5; round += 1) {
      const { pid } = await waitUntil("the supervisor", () => runningSupervisor(node));
      await node.run(["kill", "-9", String(pid)]);
      await waitUntil("another supervisor", async () => {
        const unit = await runningSupervisor(node);
        return unit !== undefined && unit.pid !== pid && unit;
      });
    }
    expect((await readRunState(handler)).startedAt).toBe(startedAt);
    await node.run(["sh", "-c", `echo success >${sentinel}`]);
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  /** A machine that has bootstrapped, to be copied. */
  async function bootDonor(): Promise<HandlerOnNode> {
    const handler = await boot({ kubeadm: "joins-clean-machine" });
    await installAndEnable(handler);
    expect((await waitForVerdict(handler)).kind).toBe("success");
    await waitUntil("the supervisor to end", async () => (await supervisorUnits(handler.node)).length === 0);
    return handler;
  }

  /** An image is taken with everything on the disk; a new VM with another id boots from it, and the agent enables the extension anew. */
  async function bootClone(handler: HandlerOnNode, userData: string): Promise<{ readonly vmId: string }> {
    const { node, version } = handler;
    const vmId = "0badcafe-0000-4000-8000-00000000c10e";
    await node.powerOff();
    await node.write("/usr/local/lib/test-node/sys-class/dmi/id/product_uuid", `${vmId}\n`);
    await node.write("/etc/machine-id", "0badcafe00004000800000000000c10e\n");
    await node.write("/var/lib/cloud/seed/nocloud/meta-data", "instance-id: clone\nlocal-hostname: capz-node-2\n");
    await node.write("/var/lib/cloud/seed/nocloud/user-data", userData);
    // No image is captured and booted within seconds, and the check takes times of five seconds around a boot for the same.
    await sleep(8_000);
    await node.powerOn();
    await writeSettings(node, version, { sequence: 0, publicSettings: {} });
    await callHandler(handler, "enable");
    return { vmId };
  }

  test("a donor that was prepared: its clone joins under its own id, and its proof tells of the donor", async () => {
    const handler = await bootDonor();
    const { node, version } = handler;
    const { vmId: donorId } = await readRunState(handler);
    const printed = await node.run([
      `${handlerFolder(version)}/bin/capz-bootstrap`,
      "prepare-image",
      ...["--node-identity", "--kubeadm-leftovers", "--instance-data", "--journals", "--shell-history"],
    ]);
    expect(printed).toContain("/etc/kubernetes/kubelet.conf");

    const { vmId } = await bootClone(handler, capiUserData());
    const status = await waitForStatus(handler, "the clone's proof", ({ substatuses }) =>
      substatuses.has("BootstrapProof"),
    );
    expect(status).toMatchObject({ kind: "success", code: 0 });
    expect((await readRunState(handler)).vmId).toBe(vmId);
    expect(JSON.parse(status.substatuses.get("BootstrapProof") ?? "")).toMatchObject({
      vmId,
      hostName: "capz-node-2",
      sentinel: { state: "present" },
      certificates: [{ name: "system:node:capz-node-2" }],
      kubelet: { version: "v1.34.1" },
      origin: { kind: "another-machine", why: expect.stringContaining(donorId) },
    });
  });

  testOnce("a donor that was not prepared: kubeadm refuses on its clone, and the clone is told as failed", async () => {
    const handler = await bootDonor();
    const { vmId } = await bootClone(handler, capiUserData());
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("error");
    expect(status.message).toContain("/etc/kubernetes/kubelet.conf already exists");
    expect((await readRunState(handler)).vmId).toBe(vmId);
  });

  testOnce(
    "a donor that was not prepared, and no user data: its clone holds the donor's identity and fails for that",
    async () => {
      const handler = await bootDonor();
      await bootClone(handler, "#cloud-config\n{}\n");
      const status = await waitForVerdict(handler);
      expect(status.kind).toBe("error");
      expect(status.firstLine).toContain("Bootstrap failed (ForeignNodeIdentity)");
    },
  );

  /** A small file system of its own over our private folder. */
  async function mountSmallDisk({ node }: HandlerOnNode): Promise<void> {
    await node.run(["mkdir", "-p", "/var/lib/capz-bootstrap"]);
    await node.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", "/var/lib/capz-bootstrap"]);
  }

  function fillDisk({ node }: HandlerOnNode): Promise<unknown> {
    return node.exec(["sh", "-c", "yes full >/var/lib/capz-bootstrap/fill"]);
  }

  testOnce("a disk that fills up under the private folder in mid-wait does not cost the verdict", async () => {
    const handler = await boot({ kubeadm: "joins", userData: gated });
    await mountSmallDisk(handler);
    await installAndEnable(handler);
    await waitForStatus(handler, "the check to run", ({ firstLine }) => firstLine.includes("cloud"));
    await fillDisk(handler);
    await handler.node.write(gate, "");
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  testOnce("a private folder that is full from the start is an error that says so, not an endless wait", async () => {
    const handler = await boot({ kubeadm: "joins", userData: gated });
    await mountSmallDisk(handler);
    await callHandler(handler, "install");
    await fillDisk(handler);
    await callHandler(handler, "enable");
    const status = await waitForVerdict(handler);
    expect(status.kind).toBe("error");
    expect(status.message).toContain("ENOSPC");
  });

  testOnce("a supervisor that comes back to a full disk still reaches the verdict", async () => {
    const handler = await boot({ kubeadm: "joins", userData: gated });
    const { node } = handler;
    await mountSmallDisk(handler);
    await installAndEnable(handler);
    await waitForStatus(handler, "the check to run", ({ firstLine }) => firstLine.includes("cloud"));
    const { pid } = await waitUntil("the supervisor", () => runningSupervisor(node));
    // Neither room for its lock nor for the check.
    await node.run(["sh", "-c", `rm -rf ${privateFolder}/0.work`]);
    await fillDisk(handler);
    await node.run(["kill", "-9", String(pid)]);
    await waitUntil("another supervisor", async () => {
      const unit = await runningSupervisor(node);
      return unit !== undefined && unit.pid !== pid;
    });
    await node.write(gate, "");
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  testOnce("a full disk under the status folder: the verdict is written as soon as there is room", async () => {
    const handler = await boot({ kubeadm: "joins", userData: gated, settings: { timeoutSeconds: "900" } });
    const { node, version } = handler;
    const statusFolder = `${handlerFolder(version)}/status`;
    await node.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", statusFolder]);
    await installAndEnable(handler);
    await waitForStatus(handler, "progress", ({ kind }) => kind === "transitioning");
    await node.exec(["sh", "-c", `yes full >${statusFolder}/fill`]);
    await node.write(gate, "");
    await waitUntil("cloud-init to end", () => node.exists("/run/cloud-init/result.json"));
    // What was whole before stays whole: the agent reads this file all the time.
    expect((await readStatus(handler))?.kind).toBe("transitioning");
    await node.run(["rm", `${statusFolder}/fill`]);
    await callHandler(handler, "enable");
    expect((await waitForVerdict(handler)).kind).toBe("success");
  });

  test("the second node cannot resolve the API server: the first line names DNS, host and resolver, and how soon is printed", async () => {
    const resolver = "168.63.129.16";
    const handler = await boot({
      kubeadm: "looks-up-endpoint",
      userData: gated,
      resolver,
    });
    const { node } = handler;
    await node.run(["ip", "address", "add", `${resolver}/32`, "dev", "lo"]);
    const dns = spawn(
      "nsenter",
      [
        `--net=/run/netns/${node.networkNamespace}`,
        process.execPath,
        "--no-warnings",
        join(import.meta.dirname, "..", "support", "dns-server-main.ts"),
        resolver,
      ],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    try {
      await once(dns, "message");
      await installAndEnable(handler);
      await waitForStatus(handler, "progress", ({ kind }) => kind === "transitioning");
      await node.write(gate, "");
      const status = await waitForVerdict(handler);
      expect(status.kind).toBe("error");
      expect(status.firstLine).toMatch(/DNS/iu);
      expect(status.firstLine).toContain(endpointHost);
      expect(status.firstLine).toContain(resolver);
      expect(status.firstLine.length).toBeLessThanOrEqual(200);
      const failed = await stat(node.inside("/run/cloud-init/result.json"));
      const told = await stat(node.inside(`${handlerFolder(handler.version)}/status/0.status`));
      const afterMs = Math.round(told.mtimeMs - failed.mtimeMs);
      process.stdout.write(
        `A failed lookup on the ${generation} system: told ${afterMs} ms after cloud-init's own record\n`,
      );
    } finally {
      dns.disconnect();
    }
  });
});
