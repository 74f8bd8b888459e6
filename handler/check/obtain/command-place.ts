import { chmod, chown, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorText, HandlerError } from "../../errors/handler-error.ts";
import type { MachineUser } from "../../platform/platform.ts";
import { nameDigest } from "../../text/name-digest.ts";
import type { Obtain } from "./obtain-request.ts";

/** Where a command and its files lie, and as whom it runs. */
export interface CommandPlace {
  /** Working folder; holds the downloaded files and nothing else, as the Custom Script handler's does. */
  readonly folder: string;
  readonly commandFile: string;
  /** Put before the command's own program. */
  readonly prefix: readonly [string, ...string[]] | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Last of all: until then only we can write there, so nobody can put a link in the way of a download. */
  giveToUser(): Promise<void>;
}

/** A fresh folder: what an interrupted run left behind must not look like a part of this one. */
export async function preparePlace(request: Obtain<"command">, userName: string | undefined): Promise<CommandPlace> {
  if (userName !== undefined) return await placeOfUser(request, userName);
  const folder = join(request.workFolder, "download");
  await onDisk(folder, async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  });
  return {
    folder,
    commandFile: lineFileOf(request.host, request.workFolder, {}),
    prefix: undefined,
    env: {},
    giveToUser: () => Promise.resolve(),
  };
}

/** Other users cannot enter our private folders, so theirs lies beside them: the user's alone, named for this instance. */
async function placeOfUser(request: Obtain<"command">, name: string): Promise<CommandPlace> {
  const { host, workFolder } = request;
  const user = await findUser(request, name);
  const base = userFolder(host, dirname(workFolder));
  const folder = join(base, "download");
  const commandFile = lineFileOf(host, workFolder, { runAsUser: name });
  await onDisk(base, async () => {
    await clearUserFolder(host, dirname(workFolder), workFolder);
    await mkdir(dirname(base), { recursive: true });
    // Others may pass, not look; a mode given to mkdir would be cut by our umask.
    await chmod(dirname(base), 0o711);
    await mkdir(base, { mode: 0o700 });
    await mkdir(folder, { mode: 0o700 });
  });
  return {
    folder,
    commandFile,
    prefix: user.prefix,
    env: { HOME: user.home, USER: name, LOGNAME: name },
    async giveToUser() {
      await onDisk(base, async () => {
        const files = await readdir(base, { recursive: true });
        for (const file of files) await chown(join(base, file), user.uid, user.gid);
        // Its names stay ours: a link of the user's in the place of `download` would lead our removal of its files elsewhere.
        await chown(base, 0, user.gid);
        await chmod(base, 0o710);
      });
    },
  };
}

async function findUser({ host }: Obtain<"command">, name: string): Promise<MachineUser> {
  const found = await host.platform.findUser?.(name, host.run);
  if (found?.kind === "found") return found;
  const why = found?.reason ?? "this system cannot run a command as another user";
  throw new HandlerError("commandNotStarted", `Cannot run the command as runAsUser "${name}": ${why}`, {
    hint: "Name a user that exists when the extension runs, or remove runAsUser to run as root",
  });
}

/** Folder of the files that another user's command works with; of one instance, for its newest sequence. */
function userFolder(host: Obtain<"command">["host"], instance: string): string {
  return join(host.platform.paths(host.root).userFiles, nameDigest(instance));
}

/** From which a shell reads the command line, where the system needs one. */
export function lineFileOf(
  host: Obtain<"command">["host"],
  workFolder: string,
  { runAsUser }: { readonly runAsUser?: string | undefined },
): string {
  return join(runAsUser === undefined ? workFolder : userFolder(host, dirname(workFolder)), "command");
}

/** Moved out of the user's reach first, so that no link can lead the removal elsewhere. */
export async function clearUserFolder(
  host: Obtain<"command">["host"],
  instance: string,
  privateFolder: string,
): Promise<void> {
  const grave = join(privateFolder, "removed-user-files");
  const folder = userFolder(host, instance);
  const moved = await rename(folder, grave).then(
    () => grave,
    () => folder,
  );
  await rm(moved, { recursive: true, force: true });
}

export async function onDisk<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new HandlerError("stateUnwritable", `Cannot use ${path}: ${errorText(cause)}`, { cause });
  }
}
