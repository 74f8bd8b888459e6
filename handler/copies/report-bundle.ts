import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { singleLogSource } from "./copied-sources.ts";
import type { MachineCopy } from "./machine-copy.ts";

/** report/write-report.ts keeps everything of the bundle below this. */
const largestReport = 10 * 1024 * 1024;
const mostLogs = 99;

/**
 * Our own report.zip, unpacked (report/write-report.ts): the newest ends of the logs lie in `logs`, numbered and named after where they were
 * read. The report beside them quotes them and what it makes of them, so it is no log; what it said is told as a note.
 */
export async function reportBundle(
  root: string,
  names: readonly string[],
): Promise<Omit<MachineCopy, "place"> | undefined> {
  if (!names.includes("report.json") || !names.includes("logs")) return undefined;
  const said = await firstLineOf(join(root, "report.json"));
  if (said === undefined) return undefined;
  const logs = (await readdir(join(root, "logs")).catch(() => [])).filter((name) => /^\d\d-.{1,200}\.log$/u.test(name));
  const sources = logs
    .toSorted()
    .slice(0, mostLogs)
    .map((name) => {
      const path = `/logs/${name}`;
      return { ...singleLogSource(originalName(name)), origin: path, read: { kind: "file" as const, paths: [path] } };
    });
  return { root, sources, only: true, isNamed: true, notes: [`The report that lies beside these logs says: ${said}`] };
}

/** Undefined where it is no report of ours. */
async function firstLineOf(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > largestReport) return undefined;
    const report: unknown = JSON.parse(await readFile(path, "utf8"));
    const isReport = typeof report === "object" && report !== null && "firstLine" in report;
    return isReport && typeof report.firstLine === "string" ? report.firstLine : undefined;
  } catch {
    return undefined;
  }
}

/** `01-var_log_cloud-init-output.log` was `/var/log/cloud-init-output.log`, and `04-journalctl_-u_kubelet.log` is the kubelet's journal. */
function originalName(name: string): string {
  return name.replace(/^\d\d-(?:var_log_(?:azure_)?|journalctl_(?:-[a-z]+_)*|C_)?/u, "");
}
