import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { localPaths, type AnswersLocally } from "../../files/mounts.ts";
import { watchFolder } from "./watch-folder.ts";

export interface FoldersWatch {
  /** Renews watches that have died and looks at the folders itself; true when something changed since the last look. */
  look(): boolean;
  /** Is this one of the folders, and watched itself? */
  watches(folder: string): boolean;
  close(): void;
}

/** Entries of one folder that a look compares; a folder with more is only compared as a whole. */
const maxEntries = 200;

/**
 * Watches several folders. Events alone are not enough: network file systems send none and a watch can die,
 * so `look()` compares names, sizes and times; the loop of looks calls it after every pause.
 */
export function watchFolders(
  folders: readonly string[],
  onChange: (path: string) => void,
  localNow: () => AnswersLocally = localPaths,
): FoldersWatch {
  const watches = folders.map((folder) => watchFolder(folder, onChange, localNow));
  const look = (answersLocally: AnswersLocally): string => {
    return folders.map((folder) => fingerprint(folder, answersLocally)).join("\n");
  };
  let seen = look(localNow());
  return {
    look() {
      // The list of mounts is read once for all: the kernel makes it anew for each reader.
      const answersLocally = localNow();
      for (const watch of watches) watch.renew(answersLocally);
      const now = look(answersLocally);
      const changed = now !== seen;
      seen = now;
      return changed;
    },
    watches: (folder) => watches[folders.indexOf(folder)]?.isDirect() === true,
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/** A folder on a file system that may never answer is left to the check's own questions, which have a limit in time. */
function fingerprint(folder: string, answersLocally: AnswersLocally): string {
  if (!answersLocally(folder)) return `${folder} is not asked`;
  try {
    const names = readdirSync(folder).sort();
    return [folder, ...names.slice(0, maxEntries)]
      .map((name, index) => mark(index === 0 ? folder : join(folder, name), answersLocally))
      .join("|");
  } catch {
    return `${folder} unreadable`;
  }
}

function mark(path: string, answersLocally: AnswersLocally): string {
  const own = lstatSync(path, { throwIfNoEntry: false });
  const isLink = own?.isSymbolicLink() === true;
  const stats = isLink && answersLocally(path) ? statSync(path, { throwIfNoEntry: false }) : own;
  return stats === undefined ? path : `${path} ${String(stats.ino)} ${String(stats.size)} ${String(stats.mtimeMs)}`;
}
