import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText, HandlerError } from "../errors/handler-error.ts";
import type { CommandText } from "../settings/settings.ts";
import { cleanScript } from "./clean-script.ts";
import { describeUrl } from "./describe-url.ts";
import { download } from "./download.ts";
import { fileSink } from "./download-sinks.ts";
import { fileNameOf, parseDownloadUrl } from "./download-url.ts";
import { markScript } from "./mark-script.ts";
import type { Obtain } from "./obtain-check.ts";
import type { ObtainedCheck } from "./obtained-check.ts";
import { remoteTransfer } from "./remote-transfer.ts";
import { useProxy } from "./use-proxy.ts";

type CommandCheck = Extract<ObtainedCheck, { kind: "command" }>;

const maxFileBytes = 256 * 1024 * 1024;
/** Larger files are data, not scripts; they are not read into memory. */
const maxCleanedBytes = 4 * 1024 * 1024;

/** The Custom Script settings made ready: files downloaded in their order, the script on disk, the command for the shell. */
export async function obtainCommand(request: Obtain<"command">): Promise<CommandCheck> {
  const { command, fileUris } = request.settings.check;
  const folder = join(request.workFolder, "download");
  await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  // Every address is judged before the first byte moves.
  const files = planFiles(
    request,
    fileUris.map((uri) => uri.reveal()),
    folder,
  );
  const restoreProxy = useProxy(request.settings.proxy, request.host.env);
  try {
    for (const file of files) await downloadFile(request, file);
  } catch (thrown) {
    // The command does not run, so nobody needs what came before the one that failed; it may hold secrets.
    for (const { path } of files) await rm(path, { force: true });
    throw thrown;
  } finally {
    restoreProxy();
  }
  const script = await writeScript(request, command, folder);
  const argv =
    command.kind === "line" ? request.host.platform.shell(command.line.reveal()) : scriptArgv(request, script);
  return {
    kind: "command",
    argv,
    workingFolder: folder,
    filesToDelete: [...files.map((file) => file.path), ...(script === undefined ? [] : [script])],
    warnings: [],
  };
}

/** By its path, so that its first line chooses the interpreter; Windows has no such line and runs PowerShell. */
function scriptArgv({ host }: Obtain<"command">, script = ""): readonly [string, ...string[]] {
  if (host.platform.name === "windows") return host.platform.interpreter(script);
  return host.platform.shell(`'${script.replaceAll("'", `'\\''`)}'`);
}

interface PlannedFile {
  readonly url: URL;
  readonly path: string;
}

/** All files lie in one folder, on Windows too, so that one command finds them by name; equal names are an error, not an overwrite. */
function planFiles(request: Obtain<"command">, uris: readonly string[], folder: string): readonly PlannedFile[] {
  const byName = new Map<string, URL>();
  const script = request.settings.check.command.kind === "script" ? scriptName(request) : undefined;
  return uris.map((uri) => {
    const url = parseDownloadUrl(uri);
    const name = fileNameOf(url);
    const key = request.host.platform.name === "windows" ? name.toLowerCase() : name;
    const other = byName.get(key);
    if (other !== undefined) {
      throw new HandlerError(
        "downloadUrlInvalid",
        `Two of fileUris would be saved as ${name}: ${describeUrl(other.href)} and ${describeUrl(url.href)}`,
        { hint: "Give one of the two files another name" },
      );
    }
    if (key === script) {
      throw new HandlerError(
        "downloadUrlInvalid",
        `${describeUrl(url.href)} would be saved as ${name}, which is the name of the setting script`,
        { hint: "Give the file another name" },
      );
    }
    byName.set(key, url);
    return { url, path: join(folder, name) };
  });
}

async function downloadFile(request: Obtain<"command">, { url, path }: PlannedFile): Promise<void> {
  const sink = fileSink(path);
  try {
    await download({
      host: request.host,
      description: describeUrl(url.href),
      open: remoteTransfer(request, url),
      sink,
      maxBytes: maxFileBytes,
      timeoutMs: request.deadline.remainingMs(),
      ...(request.remote?.stallMs === undefined ? {} : { stallMs: request.remote.stallMs }),
      signal: request.signal,
      seed: request.identity.vmId,
    });
    await sink.finish(0o500);
  } finally {
    await sink.discard();
  }
  if (!request.settings.check.skipDos2Unix && request.host.platform.name !== "windows") await cleanFile(path);
}

async function cleanFile(path: string): Promise<void> {
  const bytes = await onDisk(path, () => readScript(path));
  const cleaned = bytes === undefined ? undefined : cleanScript(path, bytes);
  if (cleaned === undefined) return;
  const sink = fileSink(path);
  try {
    await sink.restart();
    await sink.write(cleaned);
    await sink.finish(0o500);
  } finally {
    await sink.discard();
  }
}

async function readScript(path: string): Promise<Buffer | undefined> {
  return (await stat(path)).size > maxCleanedBytes ? undefined : await readFile(path);
}

/** The file in which the setting `script` runs. */
function scriptName({ host }: Obtain<"command">): string {
  return host.platform.name === "windows" ? "script.ps1" : "script.sh";
}

async function writeScript(
  request: Obtain<"command">,
  command: CommandText,
  folder: string,
): Promise<string | undefined> {
  if (command.kind === "line") return undefined;
  const windows = request.host.platform.name === "windows";
  const path = join(folder, scriptName(request));
  const change = windows ? markScript : (bytes: Buffer) => cleanScript(path, bytes);
  const clean = request.settings.check.skipDos2Unix ? undefined : change(command.bytes);
  await onDisk(path, async () => {
    await rm(path, { force: true });
    await writeFile(path, clean ?? command.bytes, { flag: "wx", mode: 0o500 });
  });
  return path;
}

async function onDisk<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new HandlerError("stateUnwritable", `Cannot use ${path}: ${errorText(cause)}`, { cause });
  }
}
