import { readdirSync, unlinkSync } from "node:fs";
import { join, win32 } from "node:path";
import { errorText } from "../errors/handler-error.ts";
import type { RunProcess } from "../host.ts";

/** Well-known ids, because the names are translated: LocalSystem and the group of administrators. */
const system = "*S-1-5-18";
const administrators = "*S-1-5-32-544";

/**
 * Closes a folder and all in it to everybody but LocalSystem and administrators. In %ProgramData% every user may create
 * folders: one that was there before us loses its owner and its rights, first itself, so that nothing more gets in; then the
 * links and junctions in it, so that nothing outside is changed; then what else is in it. A step that fails does not keep
 * the others from closing what they can. Returns what went wrong; the folder must then not be used.
 */
export async function restrictFolder(icacls: string, folder: string, run: RunProcess): Promise<string | undefined> {
  const full = (who: string) => `${who}:(OI)(CI)F`;
  const failures: string[] = [];
  const change = async (...args: readonly string[]): Promise<void> => {
    // /L: a link that is in the way is changed itself, not what it leads to.
    const result = await run(icacls, [...args, "/L", "/Q"], { timeoutMs: 20_000 });
    if (result.kind === "exited" && result.code === 0) return;
    failures.push(`${args[1] ?? ""}: ${result.kind === "exited" ? `exit code ${String(result.code)}` : result.kind}`);
  };
  await change(folder, "/setowner", administrators);
  await change(folder, "/reset");
  await change(folder, "/inheritance:r", "/grant:r", full(system), full(administrators));
  try {
    removeLinks(folder);
    if (readdirSync(folder).length > 0) {
      await change(folder, "/setowner", administrators, "/T", "/C");
      await change(win32.join(folder, "*"), "/reset", "/T", "/C");
    }
  } catch (error) {
    failures.push(`what is in it: ${errorText(error)}`);
  }
  if (failures.length === 0) return undefined;
  return `${folder} could not be closed to other users by icacls (${failures.join(", ")})`;
}

/** Takes out every link and junction below the folder; what they lead to stays as it is. */
function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) unlinkSync(path);
    else if (entry.isDirectory()) removeLinks(path);
  }
}
