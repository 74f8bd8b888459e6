import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { watchFolder } from "./watch-folder.ts";

export interface FoldersWatch {
  /** Renews watches that have died and looks at the folders itself; true when something changed since the last look. */
  look(): boolean;
  close(): void;
}

/** Entries of one folder that a look compares; a folder with more is only compared as a whole. */
const maxEntries = 200;

/**
 * Watches several folders. Events alone are not enough: network file systems send none and a watch can die,
 * so `look()` compares names, sizes and times; the loop of looks calls it after every pause.
 */
export function watchFolders(folders: readonly string[], onChange: (path: string) => void): FoldersWatch {
  const watches = folders.map((folder) => watchFolder(folder, onChange));
  let seen = folders.map(fingerprint).join("\n");
  return {
    look() {
      for (const watch of watches) watch.renew();
      const now = folders.map(fingerprint).join("\n");
      const changed = now !== seen;
      seen = now;
      return changed;
    },
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

function fingerprint(folder: string): string {
  try {
    const names = readdirSync(folder).sort();
    return [folder, ...names.slice(0, maxEntries)]
      .map((name, index) => mark(index === 0 ? folder : join(folder, name)))
      .join("|");
  } catch {
    return `${folder} unreadable`;
  }
}

function mark(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? path : `${path} ${String(stats.ino)} ${String(stats.size)} ${String(stats.mtimeMs)}`;
}
