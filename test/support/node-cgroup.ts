import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "./wait-until.ts";

/** Where the unified hierarchy may be mounted: on its own, or beside the old controllers. */
const mountPoints = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/** Every process that still belongs to a node, by the control group that carries its name. */
export async function processesOfNode(name: string): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const mountPoint of mountPoints) {
    const groups = await readdir(join(mountPoint, name), { recursive: true, withFileTypes: true }).catch(() => []);
    const folders = [
      join(mountPoint, name),
      ...groups.filter((e) => e.isDirectory()).map((e) => join(e.parentPath, e.name)),
    ];
    for (const folder of folders) {
      const text = await readFile(join(folder, "cgroup.procs"), "utf8").catch(() => "");
      pids.push(...text.split("\n").filter(Boolean).map(Number));
    }
  }
  return pids;
}

/** Removes the control groups of a node that is off. A hard power-off leaves them behind, since no systemd tidies up. */
export async function removeNodeCgroups(name: string): Promise<void> {
  for (const mountPoint of mountPoints) {
    const group = join(mountPoint, name);
    // The kernel frees the last process of a group a moment after its death.
    await waitUntil(`control group ${group} to be empty`, () => removeTree(group));
  }
}

async function removeTree(group: string): Promise<boolean> {
  const entries = await readdir(group, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return true;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(group, entry.name));
  return rmdir(group).then(
    () => true,
    () => false,
  );
}
