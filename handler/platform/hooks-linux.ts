import { accessSync, constants, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { HookRules } from "./platform.ts";

const folder = "/etc/capz-bootstrap/check.d";

/** Executable files `*.sh` that nobody but root can change. */
export const linuxHooks: HookRules = {
  folder: (root) => join(root, folder),
  place: () => folder,
  suffix: ".sh",
  isProgram: isExecutable,
  command: (path) => [path],
  whoElse({ path, folder: holder }) {
    const isClosed = isPrivate(path) && (holder === undefined || isPrivate(holder));
    return Promise.resolve(isClosed ? undefined : openWords(holder));
  },
};

function openWords(holder: string | undefined): string {
  return holder === undefined
    ? "it must belong to root, and nobody else may be able to write to it"
    : "it or its folder can be written by others";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Ours (root's in production), and not writable by group or others. */
function isPrivate(path: string): boolean {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}
