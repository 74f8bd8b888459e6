import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "../support/wait-until.ts";

/** A control group with a memory limit; for root, on either version of control groups. */
export interface MemoryGroup {
  limit(bytes: number): void;
  add(pid: number): void;
  /** How many processes the kernel has killed in it. */
  kills(): number;
  remove(): Promise<void>;
}

const old = "/sys/fs/cgroup/memory";
const unified = "/sys/fs/cgroup";

/** Undefined where this machine has no memory controller to give. */
export function createMemoryGroup(): MemoryGroup | undefined {
  const name = `capz-fault-${String(process.pid)}`;
  if (existsSync(join(old, "memory.limit_in_bytes"))) {
    return group(join(old, name), { limit: "memory.limit_in_bytes", events: "memory.oom_control" });
  }
  const controllers = join(unified, "cgroup.subtree_control");
  if (!existsSync(controllers)) return undefined;
  if (!readFileSync(controllers, "utf8").includes("memory")) writeFileSync(controllers, "+memory");
  return group(join(unified, name), { limit: "memory.max", events: "memory.events" });
}

function group(folder: string, files: { readonly limit: string; readonly events: string }): MemoryGroup {
  mkdirSync(folder, { recursive: true });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return {
    limit(bytes) {
      writeFileSync(join(folder, files.limit), String(bytes));
    },
    add(pid) {
      writeFileSync(join(folder, "cgroup.procs"), String(pid));
    },
    kills: () => Number(/oom_kill (?<count>\d+)/u.exec(read(files.events))?.groups?.["count"] ?? 0),
    async remove() {
      // The kernel frees the last process of a group a moment after its death.
      await waitUntil("the control group to be empty", () => read("cgroup.procs") === "");
      rmdirSync(folder);
    },
  };
}
