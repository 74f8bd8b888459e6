import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentPlayer } from "./agent-player.ts";

interface Holder {
  readonly pid: number;
  readonly sequence: number;
}

/** The supervisor of this handler on the scratch machine, from its lock. */
export function findSupervisor(agent: AgentPlayer, root: string): Holder | undefined {
  const folder = join(root, "var/lib/capz-bootstrap", agent.name);
  const newest = readdirSync(folder)
    .filter((file) => file.startsWith("supervisor.lock."))
    .toSorted((a, b) => Number(b.split(".").at(-1)) - Number(a.split(".").at(-1)))[0];
  if (newest === undefined) return undefined;
  const value: unknown = JSON.parse(readFileSync(join(folder, newest), "utf8"));
  if (typeof value !== "object" || value === null || !("pid" in value) || !("sequence" in value)) return undefined;
  return { pid: Number(value.pid), sequence: Number(value.sequence) };
}

/** kill -9 of the supervisor and of the guardian above it, as a crash or a power cut ends them; returns the pid. */
export function killSupervisor(agent: AgentPlayer, root: string): number | undefined {
  const holder = findSupervisor(agent, root);
  if (holder === undefined) return undefined;
  for (const pid of [parentOf(holder.pid), holder.pid]) {
    try {
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  return holder.pid;
}

/** The guardian shell, recognised by its name so that nobody else's process is ever hit. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return readFileSync(`/proc/${String(parent)}/cmdline`, "utf8").includes("capz-bootstrap-guardian")
      ? parent
      : undefined;
  } catch {
    return undefined;
  }
}
