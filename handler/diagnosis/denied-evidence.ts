import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDenial } from "../errors/handler-error.ts";
import { resolveBelow } from "../files/resolve-below.ts";

const journals = ["var/log/journal", "run/log/journal"];

/** Whether one of these paths lies where this user may not look. A file that is closed itself says so when it is opened. */
export function isDenied(root: string, paths: readonly string[]): boolean {
  return paths.some((path) => {
    const [fixed = "", ...pattern] = path.split("*");
    const known = pattern.length === 0 ? path : fixed.slice(0, fixed.lastIndexOf("/"));
    const place = resolveBelow(root, join(root, known)) ?? join(root, known);
    return throwsDenied(() => (pattern.length === 0 ? statSync(place) : readdirSync(place)));
  });
}

/** journalctl shows a user who may not read the system's journal that of the user alone, and does not complain. */
export function isJournalDenied(root: string): boolean {
  return journals.some((folder) =>
    throwsDenied(() => {
      openJournals(join(root, folder));
    }),
  );
}

function openJournals(folder: string): void {
  for (const machine of readdirSync(folder)) accessSync(join(folder, machine, "system.journal"), constants.R_OK);
}

function throwsDenied(look: () => unknown): boolean {
  try {
    look();
    return false;
  } catch (error) {
    return isDenial(error);
  }
}
