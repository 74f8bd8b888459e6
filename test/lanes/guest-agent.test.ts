import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { capzCommand } from "../../scripts/dev/start/capz-command.ts";
import type { HandlerReport } from "../support/agent-node-status.ts";
import { standInLog, standInName, writeStandInPackage } from "../support/agent-node-stand-in.ts";
import { startAgentNode, type AgentNode } from "../support/agent-node.ts";
import type { GoalPlugin } from "../support/goal-state.ts";
import { waitUntil } from "../support/wait-until.ts";
import { laneOfGenerations, testOnFirst } from "./generations.ts";
import {
  handlerFolder,
  handlerName as handler,
  privateFolder,
  readRunState,
  readStatus,
  waitForStatus as waitForStatusOnDisk,
  type StatusOnDisk,
} from "./handler-on-node.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage, withVersion, type HandlerPackage } from "./real-package.ts";
import { handlerProcesses, runningSupervisor, supervisorUnits } from "./supervisor-unit.ts";

const statusLimit = 131_072;

/** Waits like CAPZ's own command for a file, notes each start, and ends with the code that the file holds. */
function gatedCommand(gate: string): string {
  return `echo started >>/var/tmp/${gate}.runs; while [ ! -e /var/tmp/${gate} ]; do sleep 0.1; done; exit "$(cat /var/tmp/${gate})"`;
}

laneOfGenerations("the real guest agent", (generation) => {
  const testOnce = testOnFirst(generation);
  let agent: AgentNode;
  let folder: string;
  let current: HandlerPackage;
  let next: HandlerPackage;
  let sequence = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capz-lane-"));
    current = await buildPackage("Linux");
    next = withVersion(current, "1.9.0", folder);
    // Bootstrap waits in cloud-init's last stage until the test opens the gate, as a real node waits in kubeadm.
    agent = await startAgentNode({
      generation,
      userData: [
        "#cloud-config",
        "runcmd:",
        "- while [ ! -e /var/tmp/cloud-init-gate ]; do sleep 0.1; done",
        "- mkdir -p /run/cluster-api && echo success > /run/cluster-api/bootstrap-success.complete",
        "",
      ].join("\n"),
    });
    printVersions(
      `guest-agent, ${generation} system`,
      await agent.node.run(["dpkg-query", "--show", "waagent", "systemd", "cloud-init", "openssl"]),
    );
    for (const { version, zip } of [current, next]) agent.publish(handler, version, zip);
    const standIn = join(folder, "stand-in.zip");
    writeStandInPackage(standIn);
    agent.publish(standInName, "1.0.0", standIn);
  });

  afterAll(async () => {
    await agent.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  interface Wanted {
    readonly publicSettings?: Readonly<Record<string, string>>;
    readonly protectedSettings?: Readonly<Record<string, string>>;
    readonly version?: string;
    readonly dependencyLevel?: number;
  }

  /** The extension with settings of its own sequence number. */
  async function plugin(wanted: Wanted): Promise<GoalPlugin> {
    const { dependencyLevel } = wanted;
    return {
      name: handler,
      version: wanted.version ?? current.version,
      state: "enabled",
      settings: {
        sequence,
        publicSettings: wanted.publicSettings ?? {},
        ...(wanted.protectedSettings === undefined
          ? {}
          : {
              protectedSettings: await agent.tenant.encrypt(wanted.protectedSettings),
              thumbprint: agent.tenant.thumbprint,
            }),
      },
      ...(dependencyLevel === undefined ? {} : { dependencyLevel }),
    };
  }

  async function applyNew(wanted: Wanted): Promise<GoalPlugin> {
    sequence += 1;
    const wantedPlugin = await plugin(wanted);
    await agent.apply([wantedPlugin]);
    return wantedPlugin;
  }

  function waitForStatus(status: string): Promise<HandlerReport> {
    const wanted = sequence;
    return agent.waitForReport(handler, `sequence ${wanted} to be ${status}`, (report) => {
      return report.sequence === wanted && report.status === status;
    });
  }

  async function open(gate: string, code = 0): Promise<void> {
    await agent.node.write(`/var/tmp/${gate}.new`, String(code));
    await agent.node.run(["mv", `/var/tmp/${gate}.new`, `/var/tmp/${gate}`]);
  }

  async function starts(gate: string): Promise<number> {
    const text = await agent.node.read(`/var/tmp/${gate}.runs`).catch(() => "");
    return text.split("\n").filter(Boolean).length;
  }

  /** What the handler itself remembers of the present sequence. */
  function storedState(): ReturnType<typeof readRunState> {
    return readRunState({ node: agent.node, version: current.version, sequence });
  }

  async function waitForStart(gate: string, count = 1): Promise<void> {
    await waitUntil(`the command of ${gate} to start`, async () => (await starts(gate)) >= count, {
      describe: async () => (await agent.agentLog()).split("\n").slice(-30),
    });
  }

  test("it downloads, installs and enables the package, shows progress, and reports success when the node is up", async () => {
    await applyNew({ publicSettings: { timeoutSeconds: "600" } });
    const waiting = await waitForStatus("transitioning");
    expect(waiting.handlerStatus).toBe("Ready");
    expect(waiting.version).toBe(current.version);
    expect(waiting.message).toMatch(/^Waiting for bootstrap: /u);
    expect(agent.server.downloads).toContain(`${handler} ${current.version}`);

    await open("cloud-init-gate");
    const report = await waitForStatus("success");
    expect(report.code).toBe(0);
    expect(report.message.split("\n")[0]?.length).toBeLessThanOrEqual(200);
    expect(report.substatuses.map((item) => item.name)).toContain("BootstrapVerdict");
    // After the verdict it collects the proof.
    await waitUntil("the supervisor to end", async () => (await runningSupervisor(agent.node)) === undefined);
  });

  /** Applies CAPZ's own command, waits until the packaged check looks beside it, changes the node, and gives the milliseconds to the verdict. */
  async function timeOfCapzCommand(
    happens: () => Promise<void>,
  ): Promise<{ readonly ms: number; readonly status: StatusOnDisk }> {
    const command = capzCommand("");
    await applyNew({ publicSettings: { aftercareSeconds: "0" }, protectedSettings: { commandToExecute: command } });
    const here = { node: agent.node, version: current.version, sequence };
    await waitForStatusOnDisk(here, "the look beside the command", ({ firstLine }) => firstLine.includes("sentinel"));
    const startedAt = performance.now();
    await happens();
    for (;;) {
      const status = await readStatus(here).catch(() => undefined);
      if (status !== undefined && status.kind !== "transitioning") return { ms: performance.now() - startedAt, status };
      await pause(2);
    }
  }

  const rounds = 5;
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

  test("CAPZ's own command, encrypted: it ends with the sentinel, and with the failure of the user data's script", async () => {
    const sentinel = "/run/cluster-api/bootstrap-success.complete";
    const result = "/run/cloud-init/result.json";
    const good = await agent.node.read(result);
    const bad = JSON.stringify({
      v1: {
        datasource: "DataSourceNoCloud",
        errors: ["('scripts-user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))"],
      },
    });
    const successes: number[] = [];
    const failures: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await agent.node.run(["rm", "-f", sentinel]);
      const joined = await timeOfCapzCommand(() => agent.node.write(sentinel, "success\n"));
      expect(joined.status).toMatchObject({ kind: "success", code: 0 });
      successes.push(joined.ms);
      await agent.node.run(["rm", "-f", sentinel]);
      const failed = await timeOfCapzCommand(() => agent.node.write(result, bad));
      expect(failed.status.firstLine).toMatch(/^Bootstrap failed \(\w+\) in /u);
      failures.push(failed.ms);
      await agent.node.write(result, good);
    }
    await agent.node.write(sentinel, "success\n");
    const told = [
      `sentinel to success ${Math.round(median(successes))} ms`,
      `failure to error ${Math.round(median(failures))} ms`,
    ];
    process.stdout.write(`CAPZ's own command under the real agent, medians of ${rounds}: ${told.join(", ")}\n`);
  });

  test("a failed command is an error with its words in the first line, while the handler itself stays Ready", async () => {
    await applyNew({ publicSettings: { commandToExecute: "echo 'control plane endpoint refused us' >&2; exit 3" } });
    const report = await waitForStatus("error");
    const firstLine = report.message.split("\n")[0] ?? "";
    expect(firstLine).toContain("control plane endpoint refused us");
    expect(firstLine.length).toBeLessThanOrEqual(200);
    expect(report.handlerStatus).toBe("Ready");
    const clarification = report.substatuses.find((item) => item.name === "ErrorClarification");
    expect(clarification?.status).toBe("error");
    expect(clarification?.code).toBeGreaterThan(0);
  });

  test("protected settings in a real envelope are obeyed, and no secret is left in status, logs or settings", async () => {
    const secret = "Pa55-lane-secret-7c1d";
    await applyNew({
      protectedSettings: {
        commandToExecute: `x=${secret}; [ "$x" = ${secret} ] || exit 9; echo ran >/var/tmp/protected-ran`,
      },
    });
    await waitForStatus("success");
    expect(await agent.node.exists("/var/tmp/protected-ran")).toBe(true);
    expect(agent.server.blobs.filter((blob) => blob.includes(secret))).toEqual([]);
    const places = ["/var/log", "/var/lib/capz-bootstrap", "/var/lib/waagent", "/run"];
    const found = await agent.node.exec(["grep", "-rlF", secret, ...places]);
    expect(found.stdout).toBe("");
    const journal = await agent.node.run(["journalctl", "--no-pager", "-o", "cat"]);
    expect(journal).not.toContain(secret);
  });

  testOnce("the same sequence in a new goal state runs nothing again and leaves the status file alone", async () => {
    const wanted = await applyNew({ publicSettings: { commandToExecute: gatedCommand("same") } });
    await waitForStart("same");
    await open("same");
    await waitForStatus("success");
    const statusFile = `${handlerFolder(current.version)}/status/${sequence}.status`;
    const before = await agent.node.read(statusFile);

    await agent.apply([wanted]);
    await agent.waitProcessed();
    await waitForStatus("success");
    expect(await starts("same")).toBe(1);
    expect(await agent.node.read(statusFile)).toBe(before);
  });

  test("new settings in mid-wait end the old check and its children, and begin anew", async () => {
    await applyNew({ publicSettings: { commandToExecute: `setsid sleep 7777 & ${gatedCommand("old")}` } });
    await waitForStart("old");
    const old = await runningSupervisor(agent.node);
    await applyNew({ publicSettings: { commandToExecute: gatedCommand("new") } });
    await waitForStart("new");
    expect((await runningSupervisor(agent.node))?.pid).not.toBe(old?.pid);
    expect((await agent.node.exec(["pgrep", "-f", "sleep 7777"])).stdout).toBe("");
    await open("new");
    await waitForStatus("success");
  });

  test("a restart of the agent in mid-wait leaves the supervisor alone", async () => {
    await applyNew({ publicSettings: { commandToExecute: gatedCommand("restart") } });
    await waitForStart("restart");
    await waitForStatus("transitioning");
    const before = await runningSupervisor(agent.node);
    await agent.node.run(["systemctl", "restart", "walinuxagent.service"]);
    await agent.waitForBlobs(2);
    const after = await runningSupervisor(agent.node);
    expect(after?.pid).toBe(before?.pid);
    expect(after?.controlGroup).toMatch(/^\/system\.slice\/capz-bootstrap-/u);
    expect(await starts("restart")).toBe(1);
    await open("restart");
    await waitForStatus("success");
  });

  test("after a reboot in mid-wait the deadline goes on with what was left", async () => {
    await applyNew({
      publicSettings: {
        commandToExecute: gatedCommand("reboot"),
        restart: "always",
        timeoutSeconds: "30",
        graceSeconds: "0",
      },
    });
    await waitForStart("reboot");
    await waitUntil(
      "ten seconds of the deadline to be stored",
      async () => (await storedState()).clock.usedMs >= 10_000,
    );
    await agent.node.reboot();
    await waitForStart("reboot", 2);
    // A deadline that began anew would have used nothing yet.
    expect((await storedState()).clock.usedMs).toBeGreaterThanOrEqual(10_000);
    const report = await waitForStatus("error");
    expect(report.message.split("\n")[0]).toMatch(/after [3-9]\d s/u);
  });

  test("an upgrade in mid-wait carries the wait over to the new version, and a downgrade carries it back", async () => {
    await applyNew({
      publicSettings: { commandToExecute: gatedCommand("upgrade"), restart: "always", timeoutSeconds: "600" },
    });
    await waitForStart("upgrade");
    const begun = await storedState();

    await agent.apply([
      await plugin({
        version: next.version,
        publicSettings: { commandToExecute: gatedCommand("upgrade"), restart: "always", timeoutSeconds: "600" },
      }),
    ]);
    const upgraded = await agent.waitForReport(
      handler,
      "to run in the new version",
      (report) => report.version === next.version && report.handlerStatus === "Ready",
    );
    expect(upgraded.status).toBe("transitioning");
    await waitForStart("upgrade", 2);
    expect((await storedState()).startedAt).toBe(begun.startedAt);

    await agent.apply([
      await plugin({
        version: current.version,
        publicSettings: { commandToExecute: gatedCommand("upgrade"), restart: "always", timeoutSeconds: "600" },
      }),
    ]);
    const downgraded = await agent.waitForReport(
      handler,
      "to run in the old version",
      (report) => report.version === current.version && report.handlerStatus === "Ready",
    );
    expect(downgraded.status).toBe("transitioning");
    await waitForStart("upgrade", 3);
    expect((await storedState()).startedAt).toBe(begun.startedAt);

    await open("upgrade");
    const report = await waitForStatus("success");
    expect(report.version).toBe(current.version);
  });

  testOnce("an upgrade after the verdict keeps the verdict and runs nothing", async () => {
    const settings = { commandToExecute: gatedCommand("kept") };
    await applyNew({ publicSettings: settings });
    await waitForStart("kept");
    await open("kept", 4);
    const first = await waitForStatus("error");
    await agent.apply([await plugin({ version: next.version, publicSettings: settings })]);
    const report = await agent.waitForReport(
      handler,
      "to be Ready in the new version",
      (r) => r.version === next.version && r.handlerStatus === "Ready",
    );
    expect(report.status).toBe("error");
    expect(report.message).toBe(first.message);
    expect(await starts("kept")).toBe(1);
    await agent.apply([await plugin({ publicSettings: settings })]);
    await agent.waitForReport(
      handler,
      "to be back in the old version",
      (r) => r.version === current.version && r.handlerStatus === "Ready",
    );
  });

  test("hostile output over every limit still gives a status that the agent uploads whole", async () => {
    const hostile = [
      "yes '\"<&>\\\\ a long line of output that never ends' | head -c 3000000",
      "printf '\\000\\377\\376\\033[31m\\303'",
      "yes 'the error stream, too' | head -c 3000000 >&2",
      "exit 5",
    ].join("; ");
    await applyNew({ publicSettings: { commandToExecute: hostile } });
    const report = await waitForStatus("error");
    expect(report.handlerStatus).toBe("Ready");
    expect(report.message).not.toContain("[TRUNCATED]");
    const file = await readFile(
      agent.node.inside(`${handlerFolder(current.version)}/status/${sequence}.status`),
      "utf8",
    );
    expect(file.length).toBeLessThan(statusLimit / 4);
    // The agent of Debian 12 dies of a status that is not UTF-8; it must still be the same process that goes on.
    await agent.waitForBlobs(2);
  });

  testOnce("a dependent extension waits for ours, and is skipped when ours fails", async () => {
    sequence += 1;
    const failing = await plugin({ publicSettings: { commandToExecute: gatedCommand("level-a") }, dependencyLevel: 1 });
    const dependent: GoalPlugin = {
      name: standInName,
      version: "1.0.0",
      state: "enabled",
      settings: { sequence: 1, publicSettings: {} },
      dependencyLevel: 2,
    };
    await agent.apply([dependent, failing]);
    await waitForStart("level-a");
    await open("level-a", 6);
    const skipped = await agent.waitForReport(
      standInName,
      "to be skipped",
      (report) => report.handlerStatus === "NotReady" && /dependent extension/iu.test(report.handlerMessage),
    );
    expect(skipped.handlerMessage).toContain("CAPZ.Linux.Bootstrapping");
    expect(await agent.node.exists(standInLog)).toBe(false);

    sequence += 1;
    const passing = await plugin({ publicSettings: { commandToExecute: gatedCommand("level-b") }, dependencyLevel: 1 });
    await agent.apply([dependent, passing]);
    await waitForStart("level-b");
    expect(await agent.node.exists(standInLog)).toBe(false);
    await open("level-b");
    await agent.waitForReport(standInName, "to have run", (report) => report.status === "success");
    expect(await agent.node.read(standInLog)).toContain("enable seq=1");
  });

  test("uninstall in mid-wait ends everything and removes the private data", async () => {
    const running = await applyNew({
      publicSettings: { commandToExecute: `setsid sleep 8888 & ${gatedCommand("never")}` },
    });
    await waitForStart("never");
    expect(await agent.node.exists(privateFolder)).toBe(true);
    await agent.apply([{ ...running, state: "uninstall" }]);
    await agent.waitProcessed();
    await waitUntil("the handler to leave the status", async () => {
      await agent.waitForBlobs(1);
      return agent.report(handler) === undefined;
    });
    expect(await agent.node.exists("/var/lib/capz-bootstrap")).toBe(false);
    expect(await agent.node.exists(handlerFolder(current.version))).toBe(false);
    expect(await supervisorUnits(agent.node)).toEqual([]);
    expect(await handlerProcesses(agent.node)).toEqual([]);
    expect((await agent.node.exec(["pgrep", "-f", "sleep 8888"])).stdout).toBe("");
  });

  test("the agent itself never crashed and never fell back to a direct upload", async () => {
    const log = await agent.agentLog();
    expect(log).not.toContain("Falling back to direct upload");
    expect(log).not.toContain("Traceback");
    // The agent gives a download ten seconds and then asks again; a busy machine may be slower once.
    expect(agent.server.problems.filter((problem) => !problem.includes("Premature close"))).toEqual([]);
  });
});
