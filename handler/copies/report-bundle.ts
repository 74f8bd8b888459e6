import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";
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
  const report = await readReport(join(root, "report.json"));
  if (report === undefined) return undefined;
  const logs = (await readdir(join(root, "logs")).catch(() => [])).filter((name) => /^\d\d-.{1,200}\.log$/u.test(name));
  const sources = logs
    .toSorted()
    .slice(0, mostLogs)
    .map((name) => {
      const path = `/logs/${name}`;
      return { ...singleLogSource(originalName(name)), origin: path, read: { kind: "file" as const, paths: [path] } };
    });
  const said = String(report["firstLine"]);
  return { root, sources, only: true, isNamed: true, notes: [`The report that lies beside these logs says: ${said}`] };
}

async function readReport(path: string): Promise<JsonObject | undefined> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0 || size > largestReport) return undefined;
  const json = parseJson(await readFile(path, "utf8"));
  const value = json.kind === "value" ? json.value : undefined;
  return isJsonObject(value) && typeof value["firstLine"] === "string" ? value : undefined;
}

/** `01-var_log_cloud-init-output.log` was `/var/log/cloud-init-output.log`, and `04-journalctl_-u_kubelet.log` is the kubelet's journal. */
function originalName(name: string): string {
  return name.replace(/^\d\d-(?:var_log_(?:azure_)?|journalctl_(?:-\w+_)*(?:-u_)?|C_)?/u, "");
}
