import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ScenarioProcess } from "../../scripts/dev/read-scenarios.ts";

const cloudbaseInit = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
const currentVersion = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
const hostNameKey = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";
const serviceKeys = "HKLM\\SYSTEM\\CurrentControlSet\\Services";

/** dwCurrentState and dwStartType of the service manager (winsvc.h). */
const serviceNumbers: Readonly<Record<string, readonly [state: number, start: number]>> = {
  Running: [4, 2],
  Stopped: [1, 2],
  StartPending: [2, 2],
  StopPending: [3, 2],
  Disabled: [1, 4],
};

/**
 * Turns what a scenario says of registry and services (root/capz-facts) into what `reg`, `sc` and `tasklist` of
 * test/fixtures/scenario-bin print, in the form of the real programs. Gives the machine's uptime in seconds.
 */
export async function writeWindowsFacts(folder: string, now: number): Promise<number> {
  const facts = join(folder, "root/capz-facts");
  const [plugins, services, times] = await Promise.all(
    ["plugins", "services", "times"].map((name) => read(facts, name)),
  );
  await rm(facts, { recursive: true, force: true });
  await writeRegistry(folder, { plugins: plugins ?? [], times: new Map(times) });
  for (const [name, word] of services ?? []) {
    const numbers = serviceNumbers[word];
    if (numbers === undefined) continue;
    await put(join(folder, "services", name), `${String(numbers[0])}\n`);
    await putKey(folder, `${serviceKeys}\\${name}`, { values: [dword("Start", String(numbers[1]))] });
  }
  return now - Number(new Map(times).get("boot") ?? now - 300);
}

/** What `tasklist` prints of these processes, and WMIC of those named kubeadm: columns as wide as what stands in them. */
export async function writeTasks(
  folder: string,
  { boot, processes }: { readonly boot: number; readonly processes: readonly ScenarioProcess[] },
): Promise<void> {
  const tasks = processes.map(({ name, pid }) => `"${name}","${pid}","Services","0","9.012 K"\r\n`);
  await put(join(folder, "tasks"), tasks.join(""));
  const started = (seconds: number): string =>
    `${new Date((boot + seconds) * 1000).toISOString().slice(0, 19).replaceAll(/\D/gu, "")}.000000+000`;
  const rows = processes.map(({ name, args = "", startedAt, pid }) => [
    `C:\\k\\${name} ${args}`,
    started(startedAt),
    `${pid}`,
  ]);
  const heading = ["CommandLine", "CreationDate", "ProcessId"];
  const table = [heading, ...rows].map((row) => row.map((cell, index) => cell.padEnd(index === 0 ? 160 : 27)).join(""));
  await put(join(folder, "wmic"), table.map((line) => `${line}\r\r\n`).join(""));
}

type Facts = readonly (readonly [name: string, value: string])[];

async function read(folder: string, name: string): Promise<Facts> {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
}

async function writeRegistry(
  folder: string,
  { plugins, times }: { readonly plugins: Facts; readonly times: ReadonlyMap<string, string> },
): Promise<void> {
  const instances = Map.groupBy(plugins, ([name]) => name.split("/")[0] ?? "");
  for (const [instance, rows] of instances) {
    const values = rows.map(([name, value]) => dword(name.split("/")[1] ?? "", value));
    await putKey(folder, `${cloudbaseInit}\\${instance}\\Plugins`, { values });
  }
  if (instances.size > 0) await putKey(folder, cloudbaseInit, { subkeys: [...instances.keys()] });
  const install = times.get("install");
  if (install !== undefined) await putKey(folder, currentVersion, { values: [dword("InstallDate", install)] });
  const hostName = times.get("hostname") ?? "";
  await putKey(folder, hostNameKey, { values: [`    Hostname    REG_SZ    ${hostName}`] });
}

function dword(name: string, value: string): string {
  return `    ${name}    REG_DWORD    0x${Number(value).toString(16)}`;
}

/** As reg.exe prints a key: an empty line, its name, its values; then the paths of the keys below. */
async function putKey(
  folder: string,
  key: string,
  { values = [], subkeys = [] }: { readonly values?: readonly string[]; readonly subkeys?: readonly string[] },
): Promise<void> {
  const name = key.replace(/^HKLM/u, "HKEY_LOCAL_MACHINE");
  const head = values.length === 0 ? [] : [name, ...values, ""];
  const lines = ["", ...head, ...subkeys.map((subkey) => `${name}\\${subkey}`), ""];
  await put(join(folder, "registry", key.replaceAll(/[\\ ]/gu, "_")), lines.join("\r\n"));
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
