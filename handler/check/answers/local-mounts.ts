import { readMounts } from "../../files/mounts.ts";

/**
 * True where every mounted file system is local, so that a file can be asked for directly: fifty times cheaper than through a
 * file thread. Any other mount may lie behind a symbolic link on the way to any file, so one of them is enough for "no".
 */
export function allMountsAreLocal(list?: string): boolean {
  return readMounts(list)?.every(({ isLocal }) => isLocal) ?? false;
}
