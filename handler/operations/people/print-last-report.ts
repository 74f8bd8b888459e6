import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../host.ts";
import { newestRun, type RunState } from "../../state/run-state.ts";
import { show, showAgain, showBytes, type ShownText } from "../../text/shown-text.ts";
import { printAside, print } from "../terminal.ts";

/** Where reports lie: the agent's log folders of all handlers, and the folder of `capz-bootstrap run`. */
function reportFolders(host: Host): readonly string[] {
  return host.platform.logFolders(host.root).flatMap((folder) => [folder, ...foldersIn(folder)]);
}

function foldersIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

interface FoundReport {
  readonly path: string;
  readonly writtenMs: number;
}

/** Prints the report of the last verdict of this machine; exit code 3 when there is none. */
export function printLastReport(host: Host, name: "report.json" | "report.txt"): Promise<number> {
  const [newest] = reportFolders(host)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path): FoundReport => ({ path, writtenMs: statSync(path).mtimeMs }))
    .toSorted((a, b) => b.writtenMs - a.writtenMs);
  if (newest === undefined) return refused(noReport(host, name));
  const older = olderReport(host, newest);
  if (older !== undefined) return refused(older);
  // Whoever could write there, or an earlier version, may have left in it what this version would not show.
  const text = readFileSync(newest.path);
  print(name === "report.json" ? showAgain(text.toString("utf8").trim(), 2) : showBytes(text));
  return Promise.resolve(0);
}

function refused(why: ShownText): Promise<number> {
  printAside(why);
  return Promise.resolve(3);
}

function noReport({ platform, root }: Host, name: string): ShownText {
  return show(
    `capz-bootstrap report: no ${name} in ${platform.logFolders(root).join(" or ")}. Next: run "capz-bootstrap diagnose".`,
  );
}

/** A report from before the last wait began explains another end than the one that this machine shows now. */
function olderReport({ platform, root }: Host, { path, writtenMs }: FoundReport): ShownText | undefined {
  const last = foldersIn(platform.paths(root).state)
    .flatMap((folder) => newestRun(folder) ?? [])
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))[0];
  if (last === undefined || Date.parse(last.startedAt) <= writtenMs) return undefined;
  return show(
    `capz-bootstrap report: ${endOf(last)} left no report. Next: run "capz-bootstrap diagnose". The last report is of an earlier wait: ${path}, written at ${new Date(writtenMs).toISOString()}.`,
  );
}

function endOf({ startedAt, verdict }: RunState): string {
  if (verdict === undefined) return `the wait that began at ${startedAt} has no verdict yet, and`;
  const [line = ""] = verdict.status.message.split("\n", 1);
  return `the last verdict, of ${verdict.decidedAt} ("${line}"),`;
}
