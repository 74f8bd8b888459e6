import { existsSync } from "node:fs";
import { join } from "node:path";

/** Lines of the newest end of a journal: enough for the first cause of a crash loop, bounded for a chatty unit. */
const mostLines = 12_000;

/**
 * The journalctl command for these matches, or undefined where there is no journal to read.
 * Over a copied root it reads the copied files; -b is then the last boot that they hold (journalctl: add_boot).
 */
export function journalCommand(
  root: string,
  { live, matches }: { readonly live: boolean; readonly matches: readonly string[] },
): readonly [string, ...string[]] | undefined {
  const place = live ? [] : journalFolder(root);
  if (place === undefined) return undefined;
  return ["journalctl", ...place, ...matches, "-b", "-n", `${mostLines}`, "--no-pager", "-q", "-o", "short-iso"];
}

function journalFolder(root: string): readonly string[] | undefined {
  const folder = ["var/log/journal", "run/log/journal", "journal"].map((name) => join(root, name)).find(existsSync);
  return folder === undefined ? undefined : ["-D", folder];
}
