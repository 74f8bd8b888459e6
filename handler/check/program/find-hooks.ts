import { accessSync, constants, readdirSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

/** Below the root of the machine. */
export const hookFolder = "/etc/capz-bootstrap/check.d";

export interface FoundHooks {
  /** Absolute paths, in the order of their names. */
  readonly hooks: readonly string[];
  /** Sentences on files that look like hooks and are not run. */
  readonly remarks: readonly string[];
}

/** The checks that a provider or an image has put beside ours: executable files `*.sh` that nobody but root can change. */
export function findHooks(root: string): FoundHooks {
  const folder = join(root, hookFolder);
  const names = namesIn(folder);
  if (names.length === 0) return { hooks: [], remarks: [] };
  const folderIsPrivate = isPrivate(folder);
  const hooks: string[] = [];
  const remarks: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (!isExecutable(path)) continue;
    if (folderIsPrivate && isPrivate(path)) hooks.push(path);
    else remarks.push(`${hookFolder}/${name} was not run: it or its folder can be written by others`);
  }
  return { hooks, remarks };
}

/** One file that is to become a hook, judged as if it lay in the folder of the hooks. */
export function judgeHook(path: string): FoundHooks {
  if (!isExecutable(path)) return { hooks: [], remarks: [`${path} is not run: it is no executable file`] };
  if (isPrivate(path)) return { hooks: [path], remarks: [] };
  return {
    hooks: [],
    remarks: [`${path} is not run: it must belong to root, and nobody else may be able to write to it`],
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".sh") && !name.startsWith("."))
      .toSorted((one, other) => (one < other ? -1 : 1));
  } catch {
    return [];
  }
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
