import { lstatSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunProcess } from "../process-port.ts";
import { othersWhoMayChange, type GuardedKind } from "./access-list-windows.ts";
import { FileOwners } from "./file-owner-windows.ts";
import type { HookFile, HookRules } from "./platform.ts";
import { decodeOutput, type WindowsPrograms } from "./powershell-windows.ts";

/** Nothing in it has a meaning for cmd.exe, and every listing prints it as it is. */
const plainName = /^[\w.-]{1,100}\.[pP][sS]1$/u;
/** What cmd.exe reads as its own in the path that `dir` is given, which is quoted only where it holds a blank. */
const ofCommandLines = /[%&^!<>|"\r\n]/u;
const timeoutMs = 10_000;

interface Guarded {
  readonly path: string;
  readonly kind: GuardedKind;
}

/**
 * Files `*.ps1` that nobody but the system and administrators can change: neither the file, nor its folder, nor those above it. Below
 * `programFiles`, which Windows closes by itself; what lies in %ProgramData% or on the root of a drive every user can add to.
 */
export function windowsHooks(
  programs: WindowsPrograms,
  command: HookRules["command"],
  folder: HookRules["folder"],
): HookRules {
  /** What was found closed, by the times at which its files and their access lists were changed last. */
  const closed = new Map<string, string>();
  let owners: FileOwners | undefined;

  return {
    folder,
    place: folder,
    suffix: ".ps1",
    isProgram: (path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true,
    command,
    refusedBy,
    async whoElse(hook, run) {
      const guarded = guardedBy(hook);
      const state = stateOf(guarded);
      if (state === undefined) return "a link is on the way to it";
      if (!plainName.test(hook.name)) return "its name has other characters than letters, digits, and the signs _ . -";
      if (ofCommandLines.test(hook.path)) return "a folder on the way to it has one of the signs % & ^ ! in its name";
      if (closed.get(hook.path) === state) return undefined;
      owners ??= new FileOwners(programs, run);
      for (const one of guarded) {
        const problem =
          (await listProblem({ icacls: programs.icacls, run }, one, hook)) ?? (await ownerProblem(owners, one, hook));
        if (problem !== undefined) return one.path === hook.path ? problem : `${one.path}: ${problem}`;
      }
      closed.set(hook.path, state);
      return undefined;
    },
  };
}

/** The id of PowerShell's error is not translated; that a policy forbids a script is no word of the script. */
async function refusedBy(code: number, stderrFile: string): Promise<string | undefined> {
  if (code !== 1) return undefined;
  const said = decodeOutput(await readFile(stderrFile).catch(() => Buffer.alloc(0))).replaceAll(/\s+/gu, "");
  const isRefused = said.includes("PSSecurityException") && said.includes("FullyQualifiedErrorId:UnauthorizedAccess");
  return isRefused ? "PowerShell's execution policy forbids it" : undefined;
}

/** The file, its folder and all above it. */
function guardedBy({ path, folder }: HookFile): readonly Guarded[] {
  const guarded: Guarded[] = [{ path, kind: "file" }];
  for (let above = folder; above !== undefined; above = dirname(above) === above ? undefined : dirname(above)) {
    guarded.push({ path: above, kind: above === folder ? "folder" : "above" });
  }
  return guarded;
}

/** Undefined where one of them is a link or a junction: what it leads to may change at any moment. */
function stateOf(guarded: readonly Guarded[]): string | undefined {
  const parts = guarded.map(({ path, kind }) => {
    const seen = lstatSync(path, { throwIfNoEntry: false });
    if (seen === undefined || (kind === "file" ? !seen.isFile() : !seen.isDirectory())) return undefined;
    return `${String(seen.ino)} ${String(seen.ctimeMs)} ${kind === "file" ? String(seen.size) : ""}`;
  });
  return parts.includes(undefined) ? undefined : parts.join("\n");
}

/**
 * `icacls /save` writes the name and, on the next line, the access list as SDDL; in UTF-16, whatever the language of the system. The name of a
 * drive, "D:", begins as a list does.
 */
async function listProblem(
  { icacls, run }: { readonly icacls: string; readonly run: RunProcess },
  { path, kind }: Guarded,
  { scratch }: HookFile,
): Promise<string | undefined> {
  const saved = join(scratch, "access-list");
  rmSync(saved, { force: true });
  const result = await run(icacls, [path, "/save", saved, "/Q"], { timeoutMs });
  const sddl = result.kind === "exited" && result.code === 0 ? readSaved(saved) : undefined;
  if (sddl === undefined) return "who may change it cannot be told (icacls)";
  const others = othersWhoMayChange(sddl, kind);
  return others.length === 0 ? undefined : `${others.join(", ")} can change it`;
}

function readSaved(file: string): string | undefined {
  try {
    const lines = decodeOutput(readFileSync(file)).split(/\r?\n/u);
    return lines.findLast((line) => line.startsWith("D:"));
  } catch {
    return undefined;
  }
}

/** The root of a drive has no line of its own in a listing; whoever owned it could not rename a folder that others hold. */
function ownerProblem(owners: FileOwners, { path, kind }: Guarded, { scratch }: HookFile): Promise<string | undefined> {
  if (dirname(path) === path) return Promise.resolve(undefined);
  return owners.strangeOwner(path, kind === "file" ? "file" : "folder", scratch);
}
