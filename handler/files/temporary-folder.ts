import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "../host.ts";

/** A private folder below the system's place for temporary files. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** What a person's Ctrl-C, a closed terminal and a service manager send. */
const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Makes the folder, for a command that a person may end in its middle: a signal that ends the process removes the folder first, so no
 * logs of other machines are left. `name` begins the folder's name.
 */
export async function makeTemporaryFolder(name: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`));

  function leave(signal: NodeJS.Signals): void {
    forget();
    // Twice: a file that was being made during the first pass is there only for the second.
    for (let pass = 0; pass < 2; pass++) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    // With nobody left to hear it the signal does what it always does, and the caller sees its exit code.
    process.kill(process.pid, signal);
  }

  function forget(): void {
    for (const signal of endings) process.off(signal, leave);
  }

  for (const signal of endings) process.on(signal, leave);
  return {
    path,
    remove: async () => {
      forget();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * The same for what programs with our rights are run beside and write: closed by its access list where a mode cannot (Windows,
 * where the place for temporary files lets every user add to what lies in it).
 * @throws Error where it cannot be closed; the folder is removed then
 */
export async function makeClosedFolder(
  name: string,
  { platform, run }: Pick<Host, "platform" | "run">,
): Promise<TemporaryFolder> {
  const folder = await makeTemporaryFolder(name);
  const problem = await platform.restrictFolder?.(folder.path, run);
  if (problem === undefined) return folder;
  await folder.remove();
  throw new Error(`${problem}. Next: Run it as an administrator.`);
}
