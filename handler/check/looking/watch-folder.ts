import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { localPaths, type AnswersLocally } from "../../files/mounts.ts";

export interface FolderWatch {
  /** Attaches the watch anew if the folder, or its nearest existing parent, is not the one watched any more. */
  renew(answersLocally?: AnswersLocally): void;
  /** The folder itself is watched, and not one on the way to it. */
  isDirect(): boolean;
  close(): void;
}

/**
 * Calls `onChange` with the changed path. A folder that does not exist yet is watched through its nearest existing parent,
 * step by step downwards. Where no watch can be had (none left, network file system) the slow look of watch-folders.ts remains.
 * What a dead share could hold is not touched: everything here runs in the supervisor's own thread.
 */
export function watchFolder(
  folder: string,
  onChange: (path: string) => void,
  localNow: () => AnswersLocally = localPaths,
): FolderWatch {
  let attached: Attached | undefined;
  let closed = false;

  function renew(answersLocally: AnswersLocally = localNow()): void {
    if (closed) return;
    const wanted = nearestExisting(folder, answersLocally);
    if (wanted === undefined || (attached?.path === wanted.path && attached.identity === wanted.identity)) return;
    attached?.watcher.close();
    attached = attach(wanted);
    // What appeared between the look and the watch brings no event: look again.
    if (attached !== undefined) renew();
  }

  function attach(target: Existing): Attached | undefined {
    try {
      const watcher = watch(target.path, { persistent: false }, (_type, name) => {
        notice(target.path, entryName(name));
      });
      watcher.on("error", () => {
        watcher.close();
        if (attached?.watcher !== watcher) return;
        attached = undefined;
        // Windows says so when the watched folder is removed; what lives on is left to look(), lest it fails without end.
        if (folderIdentity(target.path, localNow()) === target.identity) return;
        renew();
        onChange(folder);
      });
      return { ...target, watcher };
    } catch {
      return undefined;
    }
  }

  function notice(path: string, name: string | null): void {
    if (closed) return;
    if (path === folder) {
      // The watched folder itself was removed or moved: its own name comes as the event's name.
      if (name === null || isSame(name, basename(folder))) renew();
      onChange(name === null ? folder : join(folder, name));
      return;
    }
    if (name !== null && !isSame(name, nextSegment(path, folder)) && !isSame(name, basename(path))) return;
    const before = attached;
    renew();
    if (attached !== before) onChange(folder);
  }

  renew();
  return {
    renew,
    isDirect: () => attached?.path === folder,
    close() {
      closed = true;
      attached?.watcher.close();
    },
  };
}

interface Existing {
  readonly path: string;
  readonly identity: string;
}

interface Attached extends Existing {
  readonly watcher: FSWatcher;
}

function nearestExisting(folder: string, answersLocally: AnswersLocally): Existing | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const identity = folderIdentity(path, answersLocally);
    if (identity !== undefined) return { path, identity };
    if (dirname(path) === path) return undefined;
  }
}

/** Undefined also for what cannot or may not be looked at: Windows refuses it for a folder that is being removed. */
function folderIdentity(path: string, answersLocally: AnswersLocally): string | undefined {
  if (!answersLocally(path)) return undefined;
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats?.isDirectory() === true ? `${String(stats.dev)}:${String(stats.ino)}` : undefined;
  } catch {
    return undefined;
  }
}

/** In the root of a Windows drive the event's name begins with a backslash (libuv: uv__relative_path). */
export function entryName(name: string | null): string | null {
  return name?.replace(/^\\+/u, "") ?? null;
}

/** Windows finds `Run` where `run` is asked for; elsewhere this costs one look too many. */
function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

function nextSegment(parent: string, folder: string): string {
  return relative(parent, folder).split(sep, 1)[0] ?? "";
}
