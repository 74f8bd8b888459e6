import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { copiedSources, isKnownLog, singleLogSource } from "./copied-sources.ts";
import type { MachineCopy } from "./machine-copy.ts";
import { reportBundle } from "./report-bundle.ts";

/** Names at the top of a machine's logs that no other folder of a bundle has. */
const marks = [
  /^cloud-init(?:-output)?\.log$/u,
  /^cloudbase-init(?:-unattend)?\.log$/u,
  /^(?:kubelet|journal|ignition|waagent|containerd|boot)\.log$/u,
  /^(?:serial-console\.log|.{1,200}\.serialconsole\.log)$/u,
  /^(?:sos_commands|WindowsAzure|Program Files)$/u,
  /^(?:syslog|messages|kern\.log)$/u,
  /^CustomDataSetupScript\.log$/u,
  /^(?:journald|snap\.(?:microk8s|k8s)\..{1,80})$/u,
];
/** Logs of a folder that has none of the names above. */
const anyLog = /\.(?:log|txt|out)$/iu;

const mostLevels = 7;
const mostFolders = 5000;
const mostMachines = 50;
const mostLogs = 20;

/** The machines whose logs lie below a folder, a bundle of a whole cluster among them; empty where there is nothing like a log. */
export async function findMachines(folder: string): Promise<readonly MachineCopy[]> {
  const found: MachineCopy[] = [];
  let level: readonly string[] = [""];
  for (let depth = 0, seen = 0; depth < mostLevels && level.length > 0 && seen < mostFolders; depth++) {
    const next: string[] = [];
    for (const place of level) {
      seen += 1;
      if (found.length >= mostMachines || seen > mostFolders) break;
      const root = join(folder, place);
      const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
      const names = entries.map(({ name }) => name);
      const bundle = await reportBundle(root, names);
      if (bundle !== undefined) found.push({ ...bundle, place });
      else if (await isMachine(root, names))
        found.push({ root, place, sources: copiedSources, only: false, isNamed: true });
      // A link is not followed: it may lead anywhere, also back.
      else next.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(place, name)));
    }
    level = next.toSorted((one, other) => (one < other ? -1 : 1));
  }
  return found.length > 0 ? found : looseLogs(folder);
}

async function isMachine(root: string, names: readonly string[]): Promise<boolean> {
  if (names.some((name) => marks.some((mark) => mark.test(name)))) return true;
  const below = async (folder: string): Promise<readonly string[]> =>
    names.includes(folder) ? namesIn(join(root, folder)) : [];
  return (
    (await below("var")).some((name) => ["log", "lib"].includes(name)) || (await below("run")).includes("cloud-init")
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function looseLogs(folder: string): Promise<readonly MachineCopy[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isReport = entries.some(({ name }) => name === "report.json");
  const isLog = (name: string) => anyLog.test(name) && !(isReport && name === "report.txt");
  const logs = entries.filter((entry) => entry.isFile() && isLog(entry.name)).slice(0, mostLogs);
  if (logs.length === 0) return [];
  const sources = logs.map(({ name }) => singleLogSource(name));
  return [{ root: folder, place: "", sources, only: true, isNamed: false }];
}

/** One log in a folder of others. */
export function singleLog(folder: string, path: string): MachineCopy {
  const name = basename(path);
  return { root: folder, place: "", sources: [singleLogSource(name)], only: true, isNamed: isKnownLog(name) };
}
