import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test } from "@jest/globals";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseStatus } from "../../handler/contract/parse-status.ts";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import { cloudInitFails, cloudInitRuns, kubeadmJoins, kubeadmRuns } from "../../scripts/dev/start/node-events.ts";
import { findSupervisor, killSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import type { HandlerSettings, SeenStatus } from "../../scripts/dev/start/agent-player.ts";
import { waitUntil } from "../support/wait-until.ts";
import {
  commandAtWork,
  createLifecycleMachine,
  supervisorPid,
  waitForStatus,
  watchfulCommand,
  type LifecycleMachine,
} from "./lifecycle-machine.ts";

let current: LifecycleMachine | undefined;

afterEach(async () => {
  await current?.discard();
  current = undefined;
});

async function machineWith(sequence: number, settings: HandlerSettings): Promise<LifecycleMachine> {
  current = createLifecycleMachine();
  current.agent.putSettings(sequence, settings);
  expect((await current.agent.run("install", sequence)).exitCode).toBe(0);
  return current;
}

async function enabled(sequence: number, settings: HandlerSettings): Promise<LifecycleMachine> {
  const made = await machineWith(sequence, settings);
  expect(await made.agent.run("enable", sequence)).toEqual({ exitCode: 0, output: "" });
  return made;
}

function command(line: string, more: Record<string, string> = {}): HandlerSettings {
  return { publicSettings: { commandToExecute: line, graceSeconds: "0", ...more } };
}

/** The supervisor as the service manager starts it; gives its exit code. */
function supervise({ agent, machine }: LifecycleMachine, sequence: number): number | null {
  return spawnSync(join(agent.handlerFolder, "bin/capz-bootstrap"), ["supervise", "--sequence", String(sequence)], {
    env: { PATH: process.env["PATH"] ?? "", CAPZ_BOOTSTRAP_ROOT: machine.root },
  }).status;
}

function findState(root: string, name: string): string {
  const folder = join(root, "var/lib/capz-bootstrap");
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`There is no ${name} below ${folder}`);
  return join(folder, found);
}

interface StoredClock {
  readonly bootId: string;
  /** Milliseconds of the deadline that are used up. */
  readonly usedMs: number;
}

function storedClock(root: string): StoredClock {
  return (JSON.parse(readFileSync(findState(root, "0.state.json"), "utf8")) as { readonly clock: StoredClock }).clock;
}

function proofIn({ substatuses }: SeenStatus): unknown {
  return JSON.parse(substatuses["BootstrapProof"] ?? "null");
}

const probe: HandlerSettings = { publicSettings: { aftercareSeconds: "0" } };

describe("behaviour rows of the peers, with our answer", () => {
  test("exit 3: error with code 2, the text once", async () => {
    const { agent } = await enabled(0, command("echo to-out; echo to-err >&2; exit 3"));
    const status = await waitForStatus(agent, 0);
    expect(status).toMatchObject({ kind: "error", code: 2 });
    expect(status.message).toContain("the command exited with code 3");
    expect(status.message.match(/\[stdout\]/gu)).toHaveLength(1);
    expect(status.substatuses).toHaveProperty("ErrorClarification");
  });

  test("kill -9 $$: the signal is named", async () => {
    const { agent } = await enabled(0, command("kill -9 $$"));
    expect((await waitForStatus(agent, 0)).message).toContain("ended by SIGKILL");
  });

  test.each([
    ["an empty object", {}],
    ["a 0-byte settings file", undefined],
  ])(
    "%s: the check that comes with the package runs (the Custom Script handler reports success without running anything)",
    async (_, publicSettings) => {
      const { machine, agent } = await machineWith(0, publicSettings === undefined ? {} : { publicSettings });
      if (publicSettings === undefined) writeFileSync(join(agent.configFolder, "0.settings"), "");
      await agent.run("enable", 0);
      cloudInitRuns(machine);
      await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
      kubeadmJoins(machine);
      expect((await waitForStatus(agent, 0)).kind).toBe("success");
    },
  );

  test("command and script together: an error that names both", async () => {
    const { agent } = await enabled(0, { publicSettings: { commandToExecute: "true", script: "dHJ1ZQ==" } });
    const status = await waitForStatus(agent, 0);
    expect(status).toMatchObject({ kind: "error", code: 21 });
    expect(status.message).toMatch(/commandToExecute.*script|script.*commandToExecute/u);
  });

  test("bad base64 in script: an error, nothing is run", async () => {
    const { agent, machine } = await machineWith(0, {});
    const marker = join(machine.root, "check/ran");
    // Read loosely this would be a whole script.
    const almost = Buffer.from(`touch ${marker}\n`).toString("base64").replace(/^.{4}/u, "$&%%%%");
    agent.putSettings(0, { publicSettings: { script: almost } });
    await agent.run("enable", 0);
    expect(await waitForStatus(agent, 0)).toMatchObject({ kind: "error", code: 25 });
    expect(existsSync(marker)).toBe(false);
  });

  test("what a killed command left half written is gone after the next enable", async () => {
    const { agent, machine } = await machineWith(0, command("true"));
    const left = `.capz-${String(spawnSync("true").pid)}-0123456789abcdef.tmp`;
    const places = [agent.handlerFolder, agent.logFolder, join(machine.root, "var/lib/capz-bootstrap", agent.name)];
    for (const folder of places) writeFileSync(join(folder, left), "half");
    await agent.run("enable", 0);
    await waitForStatus(agent, 0);
    expect(places.filter((folder) => existsSync(join(folder, left)))).toEqual([]);
  });

  test("killed in mid-run, enable again: the verdict comes", async () => {
    const made = await machineWith(0, {});
    made.agent.putSettings(0, command(watchfulCommand(made.machine.root, "go"), { restart: "once" }));
    await made.agent.run("enable", 0);
    await commandAtWork(made, 0);
    killSupervisor(made.agent, made.machine.root);
    await made.agent.run("enable", 0);
    made.machine.write("check/go", "");
    expect((await waitForStatus(made.agent, 0)).kind).toBe("success");
    expect(made.journal().filter((line) => line.startsWith("overlap"))).toEqual([]);
  });

  test("status lost, done before: the verdict is written again", async () => {
    const { agent } = await enabled(0, command("exit 3"));
    const first = await waitForStatus(agent, 0);
    await supervisorGone(current);
    rmSync(join(agent.statusFolder, "0.status"));
    await agent.run("enable", 0);
    expect(await waitForStatus(agent, 0)).toEqual(first);
  });

  test("a finished status is not touched by further enables", async () => {
    const { agent } = await enabled(0, command("true"));
    await waitForStatus(agent, 0);
    await supervisorGone(current);
    const before = statSync(join(agent.statusFolder, "0.status"));
    for (let call = 0; call < 3; call++) await agent.run("enable", 0);
    expect(statSync(join(agent.statusFolder, "0.status")).mtimeMs).toBe(before.mtimeMs);
  });

  test.each(["", "0\n", "garbage", "-1"])("mrseq %j: repaired, the verdict stands", async (content) => {
    const { agent } = await enabled(0, command("exit 3"));
    const first = await waitForStatus(agent, 0);
    await supervisorGone(current);
    writeFileSync(join(agent.handlerFolder, "mrseq"), content);
    expect((await agent.run("enable", 0)).exitCode).toBe(0);
    expect(agent.status(0)).toEqual(first);
  });

  test("ConfigSequenceNumber=abc and a stray x.settings: the newest settings file counts, with a status", async () => {
    const { agent } = await machineWith(4, command("true"));
    writeFileSync(join(agent.configFolder, "x.settings"), "not ours");
    expect((await agent.run("enable", 4, { ConfigSequenceNumber: "abc" })).exitCode).toBe(0);
    expect((await waitForStatus(agent, 4)).kind).toBe("success");
  });

  test("a wait says in BootstrapVerdict of which settings and of which machine it is, from the first status on", async () => {
    const { agent } = await enabled(7, command("sleep 60"));
    const told = () => {
      const file = JSON.parse(readFileSync(join(agent.statusFolder, "7.status"), "utf8")) as readonly {
        readonly status: { readonly substatus: readonly { readonly formattedMessage: { readonly message: string } }[] };
      }[];
      return JSON.parse(file[0]?.status.substatus[0]?.formattedMessage.message ?? "null") as Readonly<
        Record<string, unknown>
      >;
    };
    expect(told()).toMatchObject({ outcome: "waiting", sequence: 7, vmId: expect.any(String) });
    await waitForStatus(agent, 7, ({ message }) => message.includes("running the command"));
    expect(told()).toMatchObject({ outcome: "waiting", sequence: 7, mode: "enforce", stage: "running the command" });
  });

  test("SIGTERM in mid-run: no orphan and no lasting transitioning", async () => {
    const made = await machineWith(0, {});
    made.agent.putSettings(0, command(watchfulCommand(made.machine.root, "go"), { restart: "once" }));
    await made.agent.run("enable", 0);
    await commandAtWork(made, 0);
    process.kill(supervisorPid(made), "SIGTERM");
    made.machine.write("check/go", "");
    expect((await waitForStatus(made.agent, 0)).kind).toBe("success");
    expect(made.journal().filter((line) => line.startsWith("overlap"))).toEqual([]);
  });

  test.each(["minified", "an object instead of an array", "with a byte order mark", "with the version as a text"])(
    "HandlerEnvironment.json %s is understood",
    async (form) => {
      const { agent } = await machineWith(0, command("true"));
      const path = join(agent.handlerFolder, "HandlerEnvironment.json");
      const [item]: unknown[] = JSON.parse(readFileSync(path, "utf8")) as unknown[];
      const texts: Record<string, string> = {
        minified: JSON.stringify([item]),
        "an object instead of an array": JSON.stringify(item),
        "with a byte order mark": `\uFEFF${JSON.stringify([item], undefined, 2)}`,
        "with the version as a text": JSON.stringify([item]).replace('"version":1', '"version":"1"'),
      };
      writeFileSync(path, texts[form] ?? "");
      await agent.run("enable", 0);
      expect((await waitForStatus(agent, 0)).kind).toBe("success");
    },
  );

  test("unknown keys are a warning with a suggestion, not an error", async () => {
    const { agent } = await enabled(0, command("true", { timeoutSecond: "60" }));
    const status = await waitForStatus(agent, 0);
    expect(status.kind).toBe("success");
    expect(status.message).toMatch(/Warning: .*timeoutSecond.*timeoutSeconds/u);
  });
});

describe("the agent's commands", () => {
  test("enable leaves a valid status from its first moment on, whenever the agent looks", async () => {
    const { agent } = await enabled(0, command("exit 3"));
    for (;;) {
      const view = parseStatus(readFileSync(join(agent.statusFolder, "0.status")));
      expect(view.kind).toBe("valid");
      if (view.kind === "valid" && view.status === "error") return;
      await pause(2);
    }
  });

  test("a number that goes down is run like any other", async () => {
    const { agent } = await enabled(5, command("true"));
    await waitForStatus(agent, 5);
    agent.putSettings(3, command("exit 4"));
    await agent.run("enable", 3);
    expect((await waitForStatus(agent, 3)).kind).toBe("error");
  });

  test("new settings in mid-wait: the old check is ended, the new one gives the verdict", async () => {
    const made = await machineWith(0, {});
    made.agent.putSettings(0, command(watchfulCommand(made.machine.root, "never")));
    await made.agent.run("enable", 0);
    const pid = await commandAtWork(made, 0);
    made.agent.putSettings(1, command("true"));
    await made.agent.run("enable", 1);
    expect((await waitForStatus(made.agent, 1)).kind).toBe("success");
    expect(startTimeOf(pid)).toBeUndefined();
  });

  test("a supervisor of older settings that enable has missed, because it started late, is ended by the newer one", async () => {
    const made = await machineWith(0, {});
    const { agent, machine } = made;
    agent.putSettings(0, command(watchfulCommand(machine.root, "never")));
    await agent.run("enable", 0);
    await commandAtWork(made, 0);
    const older = supervisorPid(made);
    // What `enable` of number 1 leaves when it finds nobody at work: a state, and the number.
    const state = findState(machine.root, "0.state.json");
    const begun = JSON.parse(readFileSync(state, "utf8")) as Record<string, unknown>;
    writeFileSync(state.replace("0.state", "1.state"), JSON.stringify({ ...begun, command: undefined, sequence: 1 }));
    writeFileSync(join(agent.handlerFolder, "mrseq"), "1");
    agent.putSettings(1, command(watchfulCommand(machine.root, "flag")));
    writeFileSync(join(machine.root, "check/flag"), "");
    expect(supervise(made, 1)).toBe(0);
    expect(agent.status(1)?.kind).toBe("success");
    expect(startTimeOf(older)).toBeUndefined();
    expect(made.journal()).toEqual(["start", "start"]);
    // And one that comes even later finds its state gone: no error, no verdict of old settings.
    rmSync(state);
    const before = agent.status(0);
    expect(supervise(made, 0)).toBe(0);
    expect(agent.status(0)).toEqual(before);
  });

  test("deadline: the whole tree is ended, a child that called setsid too, and the status says what was running", async () => {
    const made = await machineWith(0, {});
    const pids = join(made.machine.root, "check/pids");
    const line = `setsid sh -c 'echo $$ >> ${pids}; exec sleep 600' & echo $$ >> ${pids}; sleep 600`;
    made.agent.putSettings(0, command(line, { timeoutSeconds: "30" }));
    await made.agent.run("enable", 0);
    const status = await waitForStatus(made.agent, 0);
    expect(status).toMatchObject({ kind: "error", code: 11 });
    expect(status.message).toMatch(/still running: .*sleep/u);
    const left = readFileSync(pids, "utf8")
      .trim()
      .split("\n")
      .filter((pid) => startTimeOf(Number(pid)) !== undefined);
    expect(left).toEqual([]);
  }, 90_000);

  test("disable ends the work, keeps the status, needs no settings and no certificate", async () => {
    const made = await machineWith(0, {});
    made.agent.putSettings(0, command(watchfulCommand(made.machine.root, "never")));
    await made.agent.run("enable", 0);
    await commandAtWork(made, 0);
    const holder = supervisorPid(made);
    rmSync(made.agent.configFolder, { recursive: true });
    expect((await made.agent.run("disable", 1)).exitCode).toBe(0);
    expect(startTimeOf(holder)).toBeUndefined();
    expect(made.agent.status(0)?.kind).toBe("transitioning");
    expect(made.agent.status(1)).toBeUndefined();
  });

  test("disable does not take a lock that it cannot read for nobody's: it says so, and lets nothing look like an end", async () => {
    const made = await machineWith(0, {});
    const { agent, machine } = made;
    agent.putSettings(0, command(watchfulCommand(machine.root, "go")));
    await agent.run("enable", 0);
    await commandAtWork(made, 0);
    const holder = supervisorPid(made);
    const lock = findState(machine.root, "supervisor.lock.1");
    const whole = readFileSync(lock, "utf8");
    writeFileSync(lock, whole.slice(0, 20));
    const { exitCode, output } = await agent.run("disable", 0);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringMatching(/lock in \S+ cannot be read/u) });
    expect(agent.status(0)?.kind).toBe("transitioning");
    expect(startTimeOf(holder)).toBeDefined();
    writeFileSync(lock, whole);
    expect((await agent.run("disable", 0)).output).not.toContain("cannot be read");
    expect(startTimeOf(holder)).toBeUndefined();
  });

  test("a supervisor that a busy machine starts only after disable does nothing, and enable lets it work again", async () => {
    const made = await machineWith(0, {});
    const { agent, machine } = made;
    const starts = join(machine.root, "starts");
    agent.putSettings(0, command(`echo start >> ${starts}; exec sleep 600`, { restart: "once" }));
    await agent.run("enable", 0);
    await waitForStatus(agent, 0, ({ message }) => message.includes("running the command"));
    expect((await agent.run("disable", 0)).exitCode).toBe(0);
    rmSync(starts, { force: true });
    const before = agent.status(0);
    expect(supervise(made, 0)).toBe(0);
    expect(existsSync(starts)).toBe(false);
    expect(agent.status(0)).toEqual(before);
    await agent.run("enable", 0);
    await waitUntil("the command again", () => existsSync(starts));
  });

  test("uninstall removes private data and succeeds a second time", async () => {
    const { machine, agent } = await enabled(0, command("true"));
    await waitForStatus(agent, 0);
    for (let call = 0; call < 2; call++) expect((await agent.run("uninstall", 0)).exitCode).toBe(0);
    expect(existsSync(join(machine.root, "var/lib/capz-bootstrap"))).toBe(false);
  });

  test("the state folders are ours alone (0700, files 0600)", async () => {
    const { machine, agent } = await enabled(0, command("true"));
    await waitForStatus(agent, 0);
    const instance = join(machine.root, "var/lib/capz-bootstrap", agent.name);
    expect(statSync(instance).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(instance).filter((name) => name.endsWith(".json"))) {
      expect(statSync(join(instance, file)).mode & 0o777).toBe(0o600);
    }
  });

  test("protected settings are opened, and a missing certificate is an error that says where it looked", async () => {
    const secret = { protectedSettings: { commandToExecute: "echo opened; exit 5" } };
    const { machine, agent } = await enabled(0, secret);
    expect((await waitForStatus(agent, 0)).message).toContain("opened");
    agent.putSettings(1, secret);
    for (const file of readdirSync(join(machine.root, "var/lib/waagent"))) {
      if (file.endsWith(".prv")) rmSync(join(machine.root, "var/lib/waagent", file));
    }
    await agent.run("enable", 1);
    const status = await waitForStatus(agent, 1);
    expect(status).toMatchObject({ kind: "error", code: 24 });
    expect(status.message).toContain(join(machine.root, "var/lib/waagent"));
  });
});

describe("the check that comes with the package", () => {
  test("names the DNS failure, the host and the resolver in the first line", async () => {
    const { machine, agent } = await enabled(0, probe);
    cloudInitRuns(machine);
    await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
    cloudInitFails(machine);
    const status = await waitForStatus(agent, 0);
    const line = status.message.split("\n")[0] ?? "";
    expect(line).toMatch(/^Bootstrap failed \(DnsResolutionFailed\) in kubeadm join after \d+ s: /u);
    expect(line).toContain("apiserver.prod-7.capz.internal");
    expect(line).toContain("10.0.0.10");
    expect(Object.keys(status.substatuses)).toEqual([
      "BootstrapVerdict",
      "BootstrapDiagnosis",
      "BootstrapTimeline",
      "BootstrapEvidence",
      "ErrorClarification",
    ]);
    for (const name of ["report.json", "report.txt", "report.html", "report.zip"]) {
      await waitForFile(join(agent.logFolder, name));
    }
  });

  test("mode observe tells the failure and never fails the VM", async () => {
    const { machine, agent } = await enabled(0, { publicSettings: { aftercareSeconds: "0", mode: "observe" } });
    cloudInitFails(machine);
    const status = await waitForStatus(agent, 0);
    expect(status.kind).toBe("success");
    expect(status.message).toContain("Bootstrap failed (DnsResolutionFailed)");
  });

  test("mode report succeeds at once and states what is there", async () => {
    const { agent } = await enabled(0, { publicSettings: { mode: "report" } });
    const status = await waitForStatus(agent, 0);
    expect(status).toMatchObject({ kind: "success", code: 0 });
    expect(status.message).toMatch(/^Bootstrap reported, not judged: the check says not yet \(.*sentinel absent/u);
    const proof = proofIn(status);
    expect(proof).toMatchObject({ check: { says: "not-yet" }, sentinel: { state: "absent" }, certificates: [] });
  });

  test("mode report tells of a failed bootstrap without failing anything, and without waiting", async () => {
    const made = await machineWith(0, { publicSettings: { mode: "report" } });
    cloudInitFails(made.machine);
    await made.agent.run("enable", 0);
    const status = await waitForStatus(made.agent, 0);
    expect(status).toMatchObject({ kind: "success", code: 0 });
    expect(status.message).toContain("the check says failed (");
    expect(proofIn(status)).toMatchObject({ check: { says: "failed", reason: expect.any(String) } });
  }, 120_000);

  test("a success carries its proof: sentinel, kubelet and its version, system, origin of the disk, VM", async () => {
    const made = await machineWith(0, probe);
    const { machine, agent } = made;
    machine.write("usr/bin/kubelet", "#!/bin/sh\necho Kubernetes v1.34.1\n");
    chmodSync(join(machine.root, "usr/bin/kubelet"), 0o755);
    machine.write("etc/os-release", 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\n');
    machine.write("var/lib/cloud/data/instance-id", "clone\n");
    for (const instance of ["clone", "donor"]) machine.write(`var/lib/cloud/instances/${instance}/user-data.txt`, "");
    await agent.run("enable", 0);
    kubeadmJoins(machine);
    const status = await waitForStatus(agent, 0, ({ substatuses }) => "BootstrapProof" in substatuses);
    expect(status).toMatchObject({ kind: "success", code: 0, message: expect.stringMatching(/^Bootstrapped in /u) });
    expect(proofIn(status)).toMatchObject({
      schemaVersion: 1,
      vmId: expect.stringMatching(/\S/u),
      check: { says: "bootstrapped", decidedBy: [expect.stringContaining("bootstrap-success.complete")] },
      sentinel: {
        path: "/run/cluster-api/bootstrap-success.complete",
        state: "present",
        ageSeconds: expect.any(Number),
      },
      kubelet: { version: "v1.34.1" },
      versions: { system: "Ubuntu 24.04.3 LTS" },
      origin: { kind: "another-machine", why: expect.stringContaining("donor") },
    });
    // It is kept, so a later enable of the same sequence tells it again.
    await agent.run("enable", 0);
    expect(proofIn(await waitForStatus(agent, 0))).toHaveProperty("sentinel.state", "present");
  }, 120_000);

  test("a user's command that succeeds claims nothing of the node, so it carries no proof", async () => {
    const made = await enabled(0, command("true"));
    expect((await waitForStatus(made.agent, 0)).kind).toBe("success");
    await supervisorGone(made);
    expect(made.agent.status(0)?.substatuses).not.toHaveProperty("BootstrapProof");
  });

  test("aftercare: a node that comes up late turns the failure into a success and keeps the first verdict", async () => {
    const { machine, agent } = await enabled(0, { publicSettings: { pollSeconds: "1", aftercareSeconds: "120" } });
    cloudInitFails(machine);
    await waitForStatus(agent, 0, ({ kind }) => kind === "error");
    machine.remove("run/cloud-init/result.json");
    kubeadmJoins(machine);
    const status = await waitForStatus(agent, 0, ({ kind }) => kind === "success");
    expect(status.message).toMatch(/^Bootstrapped in \d+ s.*, late by \d+ s/u);
    expect(status.message).toContain("First verdict, now revised: Bootstrap failed (DnsResolutionFailed)");
  }, 90_000);

  test("power cut in mid-wait: the deadline goes on after the reboot", async () => {
    const { machine, agent } = await enabled(0, { publicSettings: { timeoutSeconds: "30", aftercareSeconds: "0" } });
    kubeadmRuns(machine);
    cloudInitRuns(machine);
    await waitUntil("ten seconds of the deadline to be stored", () => storedClock(machine.root).usedMs >= 10_000);
    killSupervisor(agent, machine.root);
    const before = storedClock(machine.root);
    machine.reboot();
    await agent.run("enable", 0);
    // A deadline that began anew would be stored with nothing used.
    const after = await waitUntil("the clock of the new boot", () => {
      const clock = storedClock(machine.root);
      return clock.bootId !== before.bootId && clock;
    });
    expect(after.usedMs).toBeGreaterThanOrEqual(before.usedMs);
    expect(await waitForStatus(agent, 0)).toMatchObject({ kind: "error", code: 11 });
  }, 90_000);
});

async function supervisorGone(made: LifecycleMachine | undefined): Promise<void> {
  if (made === undefined) return;
  const pid = findSupervisor(made.agent, made.machine.root)?.pid;
  while (pid !== undefined && startTimeOf(pid) !== undefined) await pause(10);
}

async function waitForFile(path: string): Promise<void> {
  while (!existsSync(path)) await pause(10);
}
