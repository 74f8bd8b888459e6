import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import { capzCommand } from "../../scripts/dev/start/capz-command.ts";
import { cloudInitFails, cloudInitRuns, kubeadmJoins, kubeadmRuns } from "../../scripts/dev/start/node-events.ts";
import { killSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { ok, startHttpServer } from "../support/http-server.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

let current: LifecycleMachine | undefined;
const survivors: number[] = [];

afterEach(async () => {
  for (const pid of survivors.splice(0)) endIfAlive(pid);
  await current?.discard();
  current = undefined;
});

function endIfAlive(pid: number): void {
  if (startTimeOf(pid) !== undefined) process.kill(pid, "SIGKILL");
}

type Settings = Readonly<Record<string, string>>;

/** Installs and enables the command, whose text may name files of the scratch machine. */
async function enable(line: (folder: string) => string, more: Settings = {}, env: Settings = {}) {
  const made = (current = createLifecycleMachine());
  const folder = join(made.machine.root, "check");
  made.agent.putSettings(0, { publicSettings: { commandToExecute: line(folder), graceSeconds: "0", ...more } });
  await made.agent.run("install", 0);
  await made.agent.run("enable", 0, env);
  return { ...made, folder };
}

const read = (path: string): string => readFileSync(path, "utf8");
const pidIn = async (path: string): Promise<number> => {
  await waitUntil(path, () => existsSync(path) && read(path).trim() !== "");
  const pid = Number(read(path));
  survivors.push(pid);
  return pid;
};

describe("background work", () => {
  test.each(["nohup", "setsid"])("of a command that succeeded (%s) lives on, and finds its files", async (how) => {
    const { agent, folder } = await enable(
      (at) =>
        `echo text > note; ${how} sh -c 'echo $$ > ${at}/pid; while :; do sleep 0.1; cat note > ${at}/seen; done' >/dev/null 2>&1 & sleep 0.3; echo started`,
    );
    const status = await waitForStatus(agent, 0);
    expect(status).toMatchObject({ kind: "success" });
    const pid = await pidIn(join(folder, "pid"));
    await pause(500);
    writeFileSync(join(folder, "seen"), "");
    await waitUntil("the background work to go on", () => read(join(folder, "seen")) === "text\n");
    // Neither disable nor new settings reach for what a command that has ended left behind.
    await agent.run("disable", 0);
    agent.putSettings(1, { publicSettings: { commandToExecute: "true" } });
    await agent.run("enable", 1);
    await waitForStatus(agent, 1);
    expect(startTimeOf(pid)).toBeDefined();
  });

  test("of a command that failed by itself lives on, too", async () => {
    const { agent, folder } = await enable(
      (at) => `setsid sh -c 'echo $$ > ${at}/pid; exec sleep 60' & sleep 0.3; exit 3`,
    );
    await waitForStatus(agent, 0);
    const pid = await pidIn(join(folder, "pid"));
    await pause(300);
    expect(startTimeOf(pid)).toBeDefined();
  });

  test.each(["disable", "enable of new settings"])("in the middle of a command ends with it: %s", async (how) => {
    const { agent, folder } = await enable(
      (at) => `env -i setsid sh -c 'echo $$ > ${at}/pid; exec sleep 60' & sleep 60`,
    );
    const pid = await pidIn(join(folder, "pid"));
    if (how === "disable") await agent.run("disable", 0);
    else {
      agent.putSettings(1, { publicSettings: { commandToExecute: "true" } });
      await agent.run("enable", 1);
    }
    await waitUntil("the background work to end", () => startTimeOf(pid) === undefined);
  });
});

describe("a command that was interrupted", () => {
  /** Notes its number, what it found in its folder (whole, by a rename), and that it has left something there. */
  const counting = (at: string) =>
    `echo start >> ${at}/starts; n=$(grep -c . ${at}/starts); ls -A > ${at}/list; mv ${at}/list ${at}/found-$n; : > left-behind; : > ${at}/ready-$n; sleep 600`;

  async function interrupt(more: Settings, reboot: boolean) {
    const made = await enable(counting, more);
    const starts = join(made.folder, "starts");
    await waitUntil("the command", () => existsSync(join(made.folder, "ready-1")));
    return { ...made, starts, again: () => again(made, reboot) };
  }

  async function again(made: LifecycleMachine, reboot: boolean) {
    killSupervisor(made.agent, made.machine.root);
    if (reboot) made.machine.reboot();
    await made.agent.run("enable", 0);
  }

  test.each([
    ["a reboot", true, "The machine restarted while the command was running"],
    [
      "a crash of the handler",
      false,
      "The handler was stopped (disabled, updated or killed) while the command was running",
    ],
  ] as const)("by %s is not run again, and the verdict says what happened", async (_, reboot, words) => {
    const { agent, starts, again: interruptNow } = await interrupt({}, reboot);
    await interruptNow();
    const status = await waitForStatus(agent, 0);
    expect(status).toMatchObject({ kind: "error", code: -13 });
    expect(status.message).toMatch(/^Bootstrap not checked \(Interrupted\): /u);
    expect(status.message).toContain(words);
    expect(status.message).toContain('restart is "never"');
    expect(read(starts)).toBe("start\n");
  });

  test("is run once more with restart once, in a clean folder, and then not again", async () => {
    const { agent, starts, folder, again: interruptNow } = await interrupt({ restart: "once" }, true);
    await interruptNow();
    await waitUntil("the second start", () => existsSync(join(folder, "ready-2")));
    expect(read(join(folder, "found-2"))).toBe("");
    await interruptNow();
    const status = await waitForStatus(agent, 0);
    expect(status.message).toContain("for the second time");
    expect(read(starts)).toBe("start\nstart\n");
  });

  test("is run again and again with restart always", async () => {
    const { starts, folder, again: interruptNow } = await interrupt({ restart: "always" }, false);
    for (const count of [2, 3]) {
      await interruptNow();
      await waitUntil(`start ${String(count)}`, () => existsSync(join(folder, `ready-${String(count)}`)));
    }
    expect(read(starts)).toBe("start\n".repeat(3));
  });

  test("goes on waiting if it is CAPZ's own loop, whatever restart says", async () => {
    const made = (current = createLifecycleMachine());
    made.agent.putSettings(0, { protectedSettings: { commandToExecute: capzCommand(made.machine.root) } });
    await made.agent.run("install", 0);
    await made.agent.run("enable", 0);
    await waitForStatus(made.agent, 0, ({ message }) => message.includes(" s left"));
    await pause(500);
    await again(made, true);
    made.machine.write("run/cluster-api/bootstrap-success.complete", "success\n");
    expect(await waitForStatus(made.agent, 0)).toMatchObject({ kind: "success" });
  });
});

describe("what a command finds", () => {
  test("its text is in no list of processes, and its files are root's alone until the next settings", async () => {
    const { agent, machine } = await enable((at) => `: > ${at}/at; sleep 600 # s3cret-word`, { restart: "never" });
    await waitUntil("the command", () => existsSync(join(machine.root, "check/at")));
    const lines = readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .map((pid) => commandLine(pid));
    expect(lines.filter((text) => text.includes("s3cret-word"))).toEqual([]);
    const file = findBelow(machine.root, "command");
    expect(statSync(file).mode & 0o777).toBe(0o500);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    agent.putSettings(1, { publicSettings: { commandToExecute: "true" } });
    await agent.run("enable", 1);
    await waitForStatus(agent, 1);
    expect(existsSync(file)).toBe(false);
  });

  test("the file of its line is gone when it has ended; a script stays, unless removeFiles is set", async () => {
    const { agent, machine } = await enable(() => "true");
    await waitForStatus(agent, 0);
    expect(() => findBelow(machine.root, "command")).toThrow();
    const script = Buffer.from("#!/bin/sh\ntrue\n").toString("base64");
    agent.putSettings(1, { publicSettings: { script } });
    await agent.run("enable", 1);
    await waitForStatus(agent, 1);
    expect(existsSync(findBelow(machine.root, "script.sh"))).toBe(true);
    agent.putSettings(2, { publicSettings: { script, removeFiles: "true" } });
    await agent.run("enable", 2);
    await waitForStatus(agent, 2);
    expect(() => findBelow(machine.root, "script.sh")).toThrow();
  });

  test("the guest agent's environment, with proxies and with what our runtime must not see", async () => {
    const given = {
      HTTPS_PROXY: "http://proxy.example:3128",
      NODE_OPTIONS: "--max-old-space-size=64",
      LD_LIBRARY_PATH: "/opt/lib dir",
      FROM_THE_AGENT: 'quotes " and $signs',
    };
    const { agent, folder } = await enable(
      (at) => `env > ${at}/env; cat /proc/self/oom_score_adj > ${at}/oom; nice > ${at}/nice`,
      {},
      given,
    );
    await waitForStatus(agent, 0);
    const found = read(join(folder, "env"));
    for (const [name, value] of Object.entries(given)) expect(found.split("\n")).toContain(`${name}=${value}`);
    expect(found).not.toContain("CAPZ_CALLER_");
    expect(found).toContain("ConfigSequenceNumber=0");
    // Ours are 500 and 10; the guest agent's are those of this test.
    expect(read(join(folder, "oom"))).toBe(read("/proc/self/oom_score_adj"));
    expect(Number(read(join(folder, "nice")))).toBe(niceOf(process.pid));
  });

  test("while it runs the status shows the end of its output, and the time at which that was so", async () => {
    const { agent, folder } = await enable((at) => `echo step one; while [ ! -e ${at}/go ]; do sleep 0.1; done`);
    const status = await waitForStatus(agent, 0, ({ message }) => message.includes("[stdout]"));
    expect(status.kind).toBe("transitioning");
    expect(status.message).toMatch(/ s left at \d\d:\d\d:\d\d UTC/u);
    expect(status.message).toContain("[stdout]\nstep one");
    writeFileSync(join(folder, "go"), "");
    await waitForStatus(agent, 0);
  });

  test("output without line breaks is shown: 4,096 bytes of each stream", async () => {
    const { agent } = await enable(
      () => "i=0; while [ $i -lt 1000 ]; do printf 'word %s, ' $i; i=$((i+1)); done; printf last",
    );
    const { message } = await waitForStatus(agent, 0);
    const shown = message.slice(message.indexOf("[stdout]"));
    expect(shown).toContain("word 999, last");
    expect(shown.length).toBeGreaterThan(4000);
  });
});

describe("CAPZ's own command, encrypted as CAPZ sends it", () => {
  async function enableCapz(more: Settings = {}) {
    const made = (current = createLifecycleMachine());
    const protectedSettings = { commandToExecute: capzCommand(made.machine.root) };
    made.agent.putSettings(0, { protectedSettings, publicSettings: { aftercareSeconds: "0", ...more } });
    await made.agent.run("install", 0);
    await made.agent.run("enable", 0);
    return made;
  }

  test("a failure that is certain ends it, with the cause in the first line, not after its 300 s", async () => {
    const { machine, agent } = await enableCapz();
    cloudInitRuns(machine);
    await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
    cloudInitFails(machine);
    const failedAt = performance.now();
    const status = await waitForStatus(agent, 0);
    process.stdout.write(`CAPZ's command: failure told after ${String(Math.round(performance.now() - failedAt))} ms\n`);
    expect(status.message).toMatch(/^Bootstrap failed \(DnsResolutionFailed\) in kubeadm join after \d+ s: /u);
  });

  test("a sentinel that counts ends it at once", async () => {
    const { machine, agent } = await enableCapz();
    cloudInitRuns(machine);
    await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
    kubeadmRuns(machine);
    kubeadmJoins(machine);
    const joinedAt = performance.now();
    const status = await waitForStatus(agent, 0);
    process.stdout.write(`CAPZ's command: success told after ${String(Math.round(performance.now() - joinedAt))} ms\n`);
    expect(status.kind).toBe("success");
    expect(status.message).toMatch(/^Bootstrapped in \d+ s \(kubeadm\)/u);
  });

  test("with lookBeside false it runs to its own end, as with the Custom Script handler", async () => {
    const { machine, agent } = await enableCapz({ lookBeside: "false" });
    cloudInitFails(machine);
    await pause(4000);
    expect(agent.status(0)?.kind).toBe("transitioning");
    machine.write("run/cluster-api/bootstrap-success.complete", "success\n");
    expect((await waitForStatus(agent, 0)).kind).toBe("success");
  });
});

test("a pinned file runs; one with another digest never does, and the error names both digests", async () => {
  const server = await startHttpServer();
  try {
    const body = "#!/bin/sh\r\necho pinned\r\n";
    server.answer("/run.sh", ok(body));
    const digest = createHash("sha256").update(body).digest("hex");
    const made = await enable(() => "./run.sh", { fileUris: `${server.origin}/run.sh#sha256=${digest.toUpperCase()}` });
    expect((await waitForStatus(made.agent, 0)).message).toContain("pinned");
    const other = "0".repeat(64);
    const settings = {
      commandToExecute: `: > ${made.folder}/ran`,
      fileUris: `${server.origin}/run.sh#sha256=${other}`,
    };
    made.agent.putSettings(1, { publicSettings: settings });
    await made.agent.run("enable", 1);
    const status = await waitForStatus(made.agent, 1);
    expect(status).toMatchObject({ kind: "error", code: 60 });
    expect(status.message).toContain(`its SHA-256 is ${digest}, allowed is ${other}`);
    expect(existsSync(join(made.folder, "ran"))).toBe(false);
    expect(server.requests.every(({ path }) => !path.includes("sha256"))).toBe(true);
  } finally {
    await server.close();
  }
});

test("two instances at once (multi-config): each has its settings, its command and its verdict", async () => {
  const made = (current = createLifecycleMachine());
  const { agent } = made;
  const folder = join(made.machine.root, "check");
  const names = ["one", "two"] as const;
  await agent.run("install", 0);
  for (const name of names) {
    const line = `: > ${folder}/${name}; while [ ! -e ${folder}/go-${name} ]; do sleep 0.05; done; echo I am ${name}`;
    const runtimeSettings = [{ handlerSettings: { publicSettings: { commandToExecute: line } } }];
    writeFileSync(join(agent.configFolder, `${name}.0.settings`), JSON.stringify({ runtimeSettings }));
  }
  await Promise.all(names.map((name) => agent.run("enable", 0, { ConfigExtensionName: name })));
  await waitUntil("both commands at once", () => names.every((name) => existsSync(join(folder, name))));
  // Ending one leaves the other alone.
  await agent.run("disable", 0, { ConfigExtensionName: "one" });
  writeFileSync(join(folder, "go-two"), "");
  const two = await waitForNamed(agent.statusFolder, "two.0.status");
  expect(two).toContain("I am two");
  expect(read(join(agent.statusFolder, "one.0.status"))).toContain("transitioning");
  await agent.run("disable", 0, { ConfigExtensionName: "two" });
});

async function waitForNamed(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await waitUntil(name, () => existsSync(path) && /"status":"(?:success|error)"/u.test(read(path)));
  return read(path);
}

function commandLine(pid: string): string {
  try {
    return pid === String(process.pid) ? "" : read(`/proc/${pid}/cmdline`);
  } catch {
    return "";
  }
}

function niceOf(pid: number): number {
  const stat = read(`/proc/${String(pid)}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

function findBelow(root: string, name: string): string {
  const folder = join(root, "var/lib/capz-bootstrap");
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find(
    (path) => path.endsWith(`.work/${name}`) || path.endsWith(`.work/download/${name}`),
  );
  if (found === undefined) throw new Error(`There is no ${name} below ${folder}`);
  return join(folder, found);
}
