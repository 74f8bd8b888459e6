import type { Metafile } from "esbuild";
import { packageFolder, packageName } from "./package-of-input.ts";

type Output = Metafile["outputs"][string];

/**
 * Names of the program's parts, by the names that esbuild gave them. A stack trace of a customer must say where it is: a part
 * that is loaded by name keeps that name (`lib/operations-enable.cjs`), one that several share is named for the room that most of
 * it comes from (`lib/shared-text.cjs`). The same sources give the same names.
 */
export function nameParts(outputs: Readonly<Record<string, Output>>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const [path, output] of Object.entries(outputs).sort(byWeight)) {
    if (!path.includes("/lib/")) continue;
    names.set(path, unused(nameOf(output), taken));
  }
  return names;
}

/** The heaviest part of a room gets the room's plain name. */
function byWeight([path, one]: readonly [string, Output], [otherPath, other]: readonly [string, Output]): number {
  return (
    other.bytes - one.bytes || (firstInput(one) < firstInput(other) ? -1 : 1) || path.localeCompare(otherPath, "en")
  );
}

function firstInput(output: Output): string {
  return Object.keys(output.inputs).sort()[0] ?? "";
}

function nameOf(output: Output): string {
  if (output.entryPoint !== undefined) return roomOf(output.entryPoint, true);
  const weights = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    const room = roomOf(input, false);
    weights.set(room, (weights.get(room) ?? 0) + bytesInOutput);
  }
  const [heaviest] = [...weights].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  return `shared-${heaviest?.[0] ?? "code"}`;
}

/** `handler/text/cut-text.ts` is in the room `text`, `handler/check/obtain/trust.ts` in `check-obtain`; a package is a room of its own. */
function roomOf(input: string, withFile: boolean): string {
  const folder = packageFolder(input);
  if (folder !== undefined) return packageName(folder).replace("@", "").replaceAll("/", "-");
  const [, room = "", ...rest] = input.split("/");
  const file = (rest.at(-1) ?? room).replace(/\.ts$/u, "");
  if (rest.length === 0) return file;
  return withFile ? `${room}-${file}` : [room, ...rest.slice(0, -1)].join("-");
}

function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${String(number)}`;
  taken.add(free);
  return free;
}
