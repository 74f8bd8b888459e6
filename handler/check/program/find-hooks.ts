import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Host } from "../../host.ts";

/** A check that a provider or an image has put beside ours, and that nobody but the system can change. */
export interface Hook {
  /** Program and arguments that run it. */
  readonly command: readonly [string, ...string[]];
  readonly name: string;
  /** The folder of the hooks, as people know it. */
  readonly place: string;
}

export interface FoundHooks {
  /** In the order of their names. */
  readonly hooks: readonly Hook[];
  /** Sentences on files that look like hooks and are not run. */
  readonly remarks: readonly string[];
}

type HookHost = Pick<Host, "root" | "platform" | "run">;

/** `scratch`: a folder of ours in which the platform may leave what it needs to find out who can change a file. */
export async function findHooks(host: HookHost, scratch: string): Promise<FoundHooks> {
  const rules = host.platform.hooks;
  const folder = rules.folder(host.root);
  const place = rules.place(host.root);
  const hooks: Hook[] = [];
  const remarks: string[] = [];
  for (const name of namesIn(folder, rules.suffix)) {
    const path = join(folder, name);
    if (!rules.isProgram(path)) continue;
    const why = await rules.whoElse({ path, name, folder, scratch }, host.run);
    if (why === undefined) hooks.push({ command: rules.command(path), name, place });
    else remarks.push(`${join(place, name)} was not run: ${why}`);
  }
  return { hooks, remarks };
}

/** One file that is to become a hook, judged as if it lay in the folder of the hooks. */
export async function judgeHook(host: HookHost, path: string, scratch: string): Promise<FoundHooks> {
  const rules = host.platform.hooks;
  if (!existsSync(path)) return { hooks: [], remarks: [`There is no file ${path}`] };
  if (!rules.isProgram(path)) return { hooks: [], remarks: [`${path} is not run: it is no executable file`] };
  const name = basename(path);
  const why = await rules.whoElse({ path, name, folder: undefined, scratch }, host.run);
  if (why !== undefined) return { hooks: [], remarks: [`${path} is not run: ${why}`] };
  return { hooks: [{ command: rules.command(path), name, place: rules.place(host.root) }], remarks: [] };
}

function namesIn(folder: string, suffix: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.toLowerCase().endsWith(suffix) && !name.startsWith("."))
      .toSorted((one, other) => (one < other ? -1 : 1));
  } catch {
    return [];
  }
}
