import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { answerTasks } from "../../handler/check/answers/task-answers.ts";
import type { RunProcess } from "../../handler/host.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage } from "./real-package.ts";
import { guardMs, unpackHandler, type WindowsHandler } from "./windows-handler.ts";
import {
  cloudbaseInitLog,
  instance,
  pluginsDone,
  sentinel,
  userDataBegins,
  userDataEnds,
  userDataPrints,
  windowsNode,
  type WindowsNode,
} from "./windows-node.ts";

const plugins = `HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\${instance}\\Plugins`;
const currentVersion = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
const longAgo = new Date("2020-05-01T00:00:00Z");
const joinConfig = "run/kubeadm/kubeadm-join-config.yaml";

const lookOutput = v.object({
  verdict: v.string(),
  report: v.object({
    stage: v.string(),
    reason: v.optional(v.string()),
    message: v.optional(v.string()),
    facts: v.record(v.string(), v.string()),
  }),
  record: v.object({
    observations: v.array(
      v.object({ question: v.object({ ask: v.string() }), answer: v.object({ kind: v.string() }) }),
    ),
  }),
});
type Look = v.InferOutput<typeof lookOutput>;

/** The packaged check judges files, registry and services of Wine by Wine's own reg.exe and sc.exe; nothing stands in for them. */
lane("the packaged check under Wine", { ...wineNeeds, programs: [...wineNeeds.programs, "openssl"] }, () => {
  let machine: WineMachine;
  let handler: WindowsHandler;
  let node: WindowsNode;
  let scratch: string;
  let kubelet: Server | undefined;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "capz-windows-check-"));
    machine = await startWineMachine();
    handler = await unpackHandler(machine, await buildPackage("Windows"));
    node = windowsNode(machine, scratch);
    // Wine ends its service manager, and all services, with the last program; this one stays.
    void machine.run(["ping", "-n", "100000", "127.0.0.1"]);
    await waitUntil(
      "the machine to be on",
      async () => (await machine.processes()).some((line) => /ping/iu.test(line)),
      {
        timeoutMs: guardMs,
      },
    );
    await node.setValue("HKLM\\SYSTEM\\HardwareConfig", "LastConfig", "{6D5F1C0A-9B0E-4E3B-8C55-3D1F6A7B8C9D}");
  });

  afterAll(async () => {
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  });

  // What one test leaves behind must not be the next one's failure.
  afterEach(async () => {
    kubelet?.close();
    kubelet?.closeAllConnections();
    kubelet = undefined;
    await node.remove("run", "etc", "var", cloudbaseInitLog);
    for (const name of ["cloudbase-init", "kubelet"]) await node.service(name, "missing");
    await node.removeKey("HKLM\\SOFTWARE\\Cloudbase Solutions");
    await node.setValue(currentVersion, "InstallDate", 0);
  });

  /** One look of the packaged program at the whole machine. */
  async function look(code: 0 | 1 | 75): Promise<Look> {
    const result = await handler.check();
    expect(result).toMatchObject({ code, stderr: "" });
    const seen = v.parse(lookOutput, JSON.parse(result.stdout));
    const open = seen.record.observations.filter(({ answer }) => answer.kind !== "known");
    expect(open.filter(({ question }) => question.ask !== "healthz")).toEqual([]);
    return seen;
  }

  /** A kubelet's health port on loopback, which Wine shares with the host. */
  async function kubeletAnswers(): Promise<void> {
    kubelet = createServer((_, response) => response.end("ok"));
    await new Promise<void>((resolve, reject) => {
      kubelet?.once("error", reject).listen(10248, "127.0.0.1", resolve);
    });
  }

  test("user data that runs is not yet, and the stage follows the files of the join", async () => {
    await node.service("cloudbase-init", "running");
    await node.log(userDataBegins);
    expect(await look(75)).toMatchObject({ report: { stage: "user-data", facts: { "user-data": "this-boot" } } });
    await node.write(joinConfig, "kind: JoinConfiguration\r\n");
    expect((await look(75)).report.stage).toBe("kubeadm-join");
    await node.write("etc/kubernetes/bootstrap-kubelet.conf", "kind: Config\r\n");
    expect((await look(75)).report.stage).toBe("kubelet-tls-bootstrap");
  });

  test("kubeadm's error is found inside a Python bytes literal of a megabyte", async () => {
    const error = "error execution phase preflight: [preflight] Some fatal errors occurred:";
    const output = `${"x".repeat(1_000_000)}\r\n${error}\r\n\t[ERROR Port-10250]: Port 10250 is in use\r\n`;
    await node.service("cloudbase-init", "stopped");
    await node.write(joinConfig, "kind: JoinConfiguration\r\n");
    await node.log(userDataBegins, userDataPrints(output), userDataEnds(1), pluginsDone);
    await node.setValue(plugins, "UserDataPlugin", 1);
    const { report } = await look(1);
    expect(report.reason).toBe("CloudbaseInitFailed");
    expect(report.message).toContain(`kubeadm said: ${error}`);
    const inWords = await machine.run(["cmd", "/c", `${handler.windowsFolder}\\bin\\capz-bootstrap.cmd`, "check"]);
    expect(inWords).toMatchObject({ code: 1, stderr: "" });
    expect(inWords.stdout).toContain(`kubeadm said: ${error}`);
  });

  test("a node that joined passes without a sentinel, by certificate, service and health; not when its kubelet is stopped", async () => {
    await node.service("cloudbase-init", "stopped");
    await node.service("kubelet", "running");
    await node.write(joinConfig, "kind: JoinConfiguration\r\n");
    await node.log(userDataBegins, userDataEnds(0), pluginsDone);
    await node.setValue(plugins, "UserDataPlugin", 1);
    await node.join(hostname());
    expect((await look(75)).report.message).toContain("healthz (refused)");
    await kubeletAnswers();
    expect((await look(0)).report.facts["remark"]).toContain("no sentinel counts");
    await node.service("kubelet", "stopped");
    expect((await look(75)).report.message).toContain("the service kubelet is Stopped");
  });

  test("a sentinel that is older than the set-up of Windows in the registry is the image's", async () => {
    await node.service("cloudbase-init", "stopped");
    await node.write(sentinel, "success \r\n", longAgo);
    await node.setValue(currentVersion, "InstallDate", Math.floor(Date.now() / 1000));
    await node.log("INFO cloudbaseinit.init [-] Executing plugin 'SetHostNamePlugin'");
    const { facts } = (await look(75)).report;
    expect(facts).toMatchObject({ sentinel: "stale" });
    expect(facts["remark"]).toContain("it is older than the set-up of Windows on this VM");
  });

  test("a clone that keeps its donor's certificate is named as one", async () => {
    await node.service("cloudbase-init", "stopped");
    await node.service("kubelet", "running");
    await node.join("donor", { at: longAgo });
    await node.setValue(currentVersion, "InstallDate", Math.floor(Date.now() / 1000));
    await node.log("INFO cloudbaseinit.init [-] Executing plugin 'SetHostNamePlugin'", pluginsDone);
    const { report } = await look(1);
    expect(report.reason).toBe("ForeignNodeIdentity");
    expect(report.message).toContain("belongs to node donor");
  });

  test("an expired certificate is no success, although the sentinel of an earlier boot is there", async () => {
    await node.service("cloudbase-init", "stopped");
    await node.service("kubelet", "running");
    await kubeletAnswers();
    await node.setValue(plugins, "UserDataPlugin", 1);
    await node.write(joinConfig, "kind: JoinConfiguration\r\n", longAgo);
    await node.write(sentinel, "success \r\n", longAgo);
    await node.join(hostname(), { expired: true });
    await node.log("INFO cloudbaseinit.init [-] Plugin 'UserDataPlugin' execution already done, skipping", pluginsDone);
    const { report } = await look(75);
    expect(report.stage).toBe("waiting-for-kubelet");
    expect(report.message).toContain("expired at 2020-01-01T00:00:00Z");
  });

  test("the names of Wine's processes are read from its own tasklist", async () => {
    const run: RunProcess = async (program, args) => {
      const { code, stdout, stderr } = await machine.run([program, ...args]);
      return { kind: "exited", code: code ?? 1, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
    };
    const program = (name: string) => ({ program: name, env: {}, run });
    const view = { tasklist: program("tasklist"), wmic: program("wmic"), uptimeMs: 0, nowMs: Date.now() };
    const answer = await answerTasks(view);
    expect(answer).toMatchObject({ kind: "known" });
    expect(JSON.stringify(answer)).toContain('"services.exe"');
  });
});
