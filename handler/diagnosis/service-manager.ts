import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceSummary } from "./diagnosis.ts";

const others = [
  { name: "OpenRC", traces: ["run/openrc"] },
  { name: "runit", traces: ["run/runit", "etc/runit"] },
  { name: "s6", traces: ["run/s6"] },
] as const;

/**
 * Says plainly what a Linux machine without systemd does not give: the state of services and the journal. Undefined where systemd runs.
 */
export function withoutSystemd(root: string): EvidenceSummary | undefined {
  if (existsSync(join(root, "run/systemd/system"))) return undefined;
  const found = others.find(({ traces }) => traces.some((path) => existsSync(join(root, path))));
  const who = found === undefined ? "no systemd runs here" : `${found.name} manages the services of this machine, not systemd`;
  return {
    origin: "service manager",
    source: "units",
    state: "not-available",
    bytes: 0,
    note: `${who}: the states of its services and a journal are not collected, only log files are`,
  };
}
