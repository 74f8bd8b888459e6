import type { RunProcess } from "../host.ts";

/** Well-known ids, because the names are translated: LocalSystem and the group of administrators. */
const system = "*S-1-5-18";
const administrators = "*S-1-5-32-544";

/**
 * Closes a folder and all in it to everybody but LocalSystem and administrators. In %ProgramData% every user may create
 * folders: one that was there before us loses its owner and its rights first. A step that fails does not keep the others
 * from closing what they can. Returns what went wrong, for the log.
 */
export async function restrictFolder(icacls: string, folder: string, run: RunProcess): Promise<string | undefined> {
  const full = (who: string) => `${who}:(OI)(CI)F`;
  const steps = [
    [folder, "/setowner", administrators, "/T", "/C", "/Q"],
    [folder, "/reset", "/T", "/C", "/Q"],
    [folder, "/inheritance:r", "/grant:r", full(system), full(administrators), "/Q"],
  ];
  const failures: string[] = [];
  for (const args of steps) {
    const result = await run(icacls, args, { timeoutMs: 20_000 });
    if (result.kind === "exited" && result.code === 0) continue;
    failures.push(`${args[1] ?? ""}: ${result.kind === "exited" ? `exit code ${String(result.code)}` : result.kind}`);
  }
  if (failures.length === 0) return undefined;
  return `${folder} could not be closed to other users by icacls (${failures.join(", ")}); look at its rights: icacls ${folder}`;
}
