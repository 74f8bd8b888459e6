import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../host.ts";
import { show, showAgain, showBytes } from "../../text/shown-text.ts";
import { printAside, print } from "../terminal.ts";

/** Where reports lie: the agent's log folders of all handlers, and the folder of `capz-bootstrap run`. */
function reportFolders(host: Host): readonly string[] {
  return host.platform
    .logFolders(host.root)
    .flatMap((folder) => [
      folder,
      ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
    ]);
}

/** Prints the newest report of this machine; exit code 3 when there is none. */
export function printLastReport(host: Host, name: "report.json" | "report.txt"): Promise<number> {
  const found = reportFolders(host)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  const newest = found[0];
  if (newest === undefined) {
    printAside(
      show(
        `capz-bootstrap report: no ${name} in ${host.platform.logFolders(host.root).join(" or ")}. Next: run "capz-bootstrap diagnose".`,
      ),
    );
    return Promise.resolve(3);
  }
  // Whoever could write there, or an earlier version, may have left in it what this version would not show.
  const text = readFileSync(newest);
  print(name === "report.json" ? showAgain(text.toString("utf8").trim(), 2) : showBytes(text));
  return Promise.resolve(0);
}
