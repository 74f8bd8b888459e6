import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Machine, Scenario, ScenarioStep } from "../../scripts/dev/read-scenarios.ts";
import { writeTasks, writeWindowsFacts } from "./scenario-windows.ts";

/** A scenario laid out in a scratch folder: the machine's files with their times, its boot, its units and processes. */
export interface ScenarioMachine {
  readonly folder: string;
  readonly root: string;
  /** The machine's clock: the time of its boot and how long it has run since. */
  nowMs(): number;
  apply(step: ScenarioStep): Promise<void>;
  remove(): Promise<void>;
}

const defaultUptime = 300;
const windowsUptime = 1000;
const defaultFileTime = 60;
/** Per-instance marks come before what the instance's user data makes. */
const usualTimes: Readonly<Record<string, number>> = {
  "var/lib/cloud/instance": 20,
  "var/lib/cloud/instance/sem/config_scripts_user": 40,
};
const cloudbaseInitLog = "cloudbase-init.log";

export async function layOut(scenario: Scenario): Promise<ScenarioMachine> {
  const folder = await mkdtemp(join(tmpdir(), `scenario-${scenario.name}-`));
  const root = join(folder, "root");
  const isWindows = scenario.platform === "windows";
  // What the last step comes to is now: whoever looks then with the real clock sees what the scenario means.
  const lastUptime = isWindows ? windowsUptime : (([...scenario.steps].pop() ?? scenario).uptime ?? defaultUptime);
  const boot = Math.floor(Date.now() / 1000) - lastUptime;
  for (const [path, text] of Object.entries(scenario.files)) await put(join(root, path), text);
  if (isWindows) await fillInTimes(root, boot);
  await setTimes({
    root,
    boot,
    times:
      scenario.times?.["var/lib/cloud/instance"] === undefined ? { ...usualTimes, ...scenario.times } : scenario.times,
  });
  for (const [path, target] of Object.entries(scenario.links)) await link(join(root, path), target);
  for (const path of scenario.executable) await chmod(join(root, path), 0o755);
  await writeKernel({ root, boot, scenario });
  let uptime = isWindows ? await writeWindows(folder, boot, scenario) : (scenario.uptime ?? defaultUptime);
  await writeMachine({ folder, root, machine: scenario, uptime });
  return {
    folder,
    root,
    nowMs: () => (boot + (isWindows ? windowsUptime : uptime)) * 1000,
    async apply(step) {
      uptime = step.uptime ?? defaultUptime;
      for (const [path, text] of Object.entries(step.put ?? {})) {
        await put(join(root, path), text);
        await setTime(join(root, path), boot + (step.times?.[path] ?? uptime));
      }
      await writeMachine({ folder, root, machine: step, uptime });
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

async function writeWindows(folder: string, boot: number, { processes = {} }: Machine): Promise<number> {
  await writeTasks(folder, { boot, processes: Object.values(processes).flat() });
  return writeWindowsFacts(folder, boot + windowsUptime);
}

/** Windows keeps times inside files, too: {T+5} is five seconds after boot as a log writes it, {E+5} in epoch seconds. */
async function fillInTimes(root: string, boot: number): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !(entry.name.endsWith(".log") || entry.parentPath.endsWith("capz-facts"))) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, "utf8");
    const filled = text.replaceAll(/\{[ET][+-]\d{1,6}\}/gu, (mark) => {
      const seconds = boot + Number(mark.slice(2, -1));
      return mark[1] === "E" ? String(seconds) : localTime(seconds);
    });
    await writeFile(file, filled);
  }
}

/** As cloudbase-init stamps its lines: local time without a zone. */
function localTime(seconds: number): string {
  const time = new Date((seconds - new Date(seconds * 1000).getTimezoneOffset() * 60) * 1000);
  return time.toISOString().slice(0, 19).replace("T", " ");
}

/** Its newest line was its last change. */
async function timeOfLog(file: string): Promise<number> {
  const newest = (await readFile(file, "utf8")).match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gmu)?.at(-1);
  return newest === undefined ? Date.now() / 1000 : new Date(newest.replace(" ", "T")).getTime() / 1000;
}

async function setTimes(request: {
  readonly root: string;
  readonly boot: number;
  readonly times: Readonly<Record<string, number>>;
}): Promise<void> {
  const { root, boot, times } = request;
  const prefixes = Object.keys(times).sort((one, other) => other.length - one.length);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(root, file);
    if (entry.name === cloudbaseInitLog) {
      await setTime(file, await timeOfLog(file));
      continue;
    }
    const prefix = prefixes.find((known) => path === known || path.startsWith(`${known}/`));
    await setTime(file, boot + (prefix === undefined ? defaultFileTime : (times[prefix] ?? defaultFileTime)));
  }
}

async function setTime(file: string, seconds: number): Promise<void> {
  await utimes(file, seconds, seconds);
}

async function writeKernel(request: {
  readonly root: string;
  readonly boot: number;
  readonly scenario: Scenario;
}): Promise<void> {
  const { root, boot, scenario } = request;
  const run = scenario.runIsTmpfs ? "tmpfs /run tmpfs rw,nosuid,nodev,mode=755 0 0\n" : "";
  await put(join(root, "proc/mounts"), `/dev/sda1 / ext4 rw,relatime 0 0\n${run}tmpfs /dev/shm tmpfs rw 0 0\n`);
  await put(join(root, "proc/self/mountinfo"), "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
  await put(join(root, "proc/stat"), `cpu  1 0 1 1 0 0 0 0 0 0\nintr 100 0 0\nctxt 5\nbtime ${boot}\nprocesses 900\n`);
  await put(join(root, "proc/sys/kernel/hostname"), `${scenario.hostname}\n`);
  await put(join(root, "proc/sys/kernel/random/boot_id"), "5f4c2a4e-6d0e-4c55-9b4e-0a7e2f1f9d11\n");
  await put(join(root, "sys/class/dmi/id/product_uuid"), "4B2C1A00-6D0E-4C55-9B4E-0A7E2F1F9D11\n");
}

async function writeMachine(request: {
  readonly folder: string;
  readonly root: string;
  readonly machine: Machine;
  readonly uptime: number;
}): Promise<void> {
  const { folder, root, machine, uptime } = request;
  await put(join(root, "proc/uptime"), `${uptime}.25 410.10\n`);
  if (machine.units !== undefined) await mkdir(join(root, "run/systemd/system"), { recursive: true });
  for (const [name, state] of Object.entries(machine.units ?? {})) {
    await put(join(folder, "units", name), unitText(name, state));
  }
  for (const [unit, processes] of Object.entries(machine.processes ?? {})) {
    const pids = processes.map(({ pid }) => `${pid}\n`).join("");
    await put(join(root, "sys/fs/cgroup/system.slice", unit, "cgroup.procs"), pids);
    for (const { pid, name, startedAt, args, container } of processes) {
      if (args !== undefined) await put(join(root, `proc/${pid}/cmdline`), [name, ...args.split(" "), ""].join("\0"));
      const mounts = container === true ? "812 790 0:58 / / rw,relatime - overlay overlay rw\n" : undefined;
      if (mounts !== undefined) await put(join(root, `proc/${pid}/mountinfo`), mounts);
      await put(join(root, `proc/${pid}/comm`), `${name}\n`);
      const fields = `S 1 ${pid} ${pid} 0 -1 4194560 900 0 0 0 5 2 0 0 20 0 8 0 ${startedAt * 100} 134217728 4000`;
      await put(join(root, `proc/${pid}/stat`), `${pid} (${name}) ${fields}\n`);
    }
  }
}

/** In the order in which systemctl prints: the service's own properties, then those of every unit. */
function unitText(name: string, state: string): string {
  const [active, sub, result, status] = unitWords[state] ?? ["inactive", "dead", "success", 0];
  return `Result=${result}\nExecMainStatus=${status}\nId=${name}\nLoadState=loaded\nActiveState=${active}\nSubState=${sub}\n`;
}

const unitWords: Readonly<Record<string, readonly [string, string, string, number]>> = {
  active: ["active", "running", "success", 0],
  failed: ["failed", "failed", "exit-code", 1],
  starting: ["activating", "start", "success", 0],
  restarting: ["activating", "auto-restart", "exit-code", 1],
};

async function link(file: string, target: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await symlink(target, file);
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
