import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText, HandlerError } from "../../errors/handler-error.ts";
import type { Bundle } from "./bundle.ts";

const prefix = "check-bundle-";

/** Writes the verified bytes into a fresh folder of ours, from which they run: nobody else can have touched them. */
export async function placeBundle(bundle: Bundle, workFolder: string): Promise<string> {
  try {
    await mkdir(workFolder, { recursive: true, mode: 0o700 });
    await removeOlder(workFolder);
    const folder = await mkdtemp(join(workFolder, prefix));
    for (const [name, bytes] of bundle.files) {
      await writeFile(join(folder, name), bytes, { flag: "wx", mode: 0o500 });
    }
    return folder;
  } catch (cause) {
    throw new HandlerError("stateUnwritable", `Cannot write the check into ${workFolder}: ${errorText(cause)}`, {
      cause,
    });
  }
}

async function removeOlder(workFolder: string): Promise<void> {
  const names = (await readdir(workFolder)).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => rm(join(workFolder, name), { recursive: true, force: true })));
}
