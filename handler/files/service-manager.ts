import { existsSync } from "node:fs";
import { join } from "node:path";

const others = [
  { name: "OpenRC", traces: ["run/openrc"] },
  { name: "runit", traces: ["run/runit", "etc/runit"] },
  { name: "s6", traces: ["run/s6"] },
] as const;

/** As sd_booted(3) tells it, of the machine that lies below `root`. */
export function systemdRunsBelow(root: string): boolean {
  return existsSync(join(root, "run/systemd/system"));
}

/** The name of another program that manages the services of that machine; undefined where none shows. */
export function otherManagerBelow(root: string): string | undefined {
  return others.find(({ traces }) => traces.some((path) => existsSync(join(root, path))))?.name;
}
