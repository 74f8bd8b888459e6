import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HandlerError } from "../../errors/handler-error.ts";
import type { CommandText, FileUri } from "../../settings/settings.ts";
import { waitsForSentinel } from "./capz-wait.ts";
import { cleanScript } from "./clean-script.ts";
import { onDisk, preparePlace, type CommandPlace } from "./command-place.ts";
import { describeUrl } from "../../transfer/describe-url.ts";
import { download } from "../../transfer/download.ts";
import { fileSink } from "../../transfer/download-sinks.ts";
import { filePlaceOf, parseDownloadUrl } from "../../transfer/download-url.ts";
import { markScript } from "./mark-script.ts";
import type { Obtain } from "./obtain-request.ts";
import type { ObtainedCheck } from "../obtained-check.ts";
import { pinnedSink } from "../../transfer/pinned-sink.ts";
import { remoteTransfer } from "../../transfer/remote-transfer.ts";
import { useProxy } from "../../transfer/use-proxy.ts";

type CommandCheck = Extract<ObtainedCheck, { kind: "command" }>;

const maxFileBytes = 256 * 1024 * 1024;
/** Larger files are data, not scripts; they are not read into memory. */
const maxCleanedBytes = 4 * 1024 * 1024;

/** The Custom Script settings made ready: files downloaded in their order, the script on disk, the command for the shell. */
export async function obtainCommand(request: Obtain<"command">): Promise<CommandCheck> {
  const { command, fileUris, runAsUser, removeFiles } = request.settings.check;
  const place = await preparePlace(request, runAsUser);
  // Every address is judged before the first byte moves.
  const files = planFiles(request, fileUris, place.folder);
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
  const written = await writeCommand(request, command, place);
  await place.giveToUser();
  return {
    kind: "command",
    argv: place.prefix === undefined ? written.argv : [...place.prefix, ...written.argv],
    workingFolder: place.folder,
    files: [...files.map((file) => file.path), ...written.files],
    ...(written.lineFile === undefined ? {} : { lineFile: written.lineFile }),
    removeFiles,
    waitsForSentinel: waitsForSentinel(command, request.host),
    env: place.env,
    warnings: [],
  };
}

interface WrittenCommand {
  readonly argv: readonly [string, ...string[]];
  readonly files: readonly string[];
  readonly lineFile?: string;
}

/**
 * Linux: never as an argument, which every user of the machine could read in /proc. The shell reads it from a file that only the
 * command's own user can read; `.` leaves `$0` and `return` as they are with `sh -c`. Windows shows nobody the command lines of SYSTEM.
 */
async function writeCommand(
  request: Obtain<"command">,
  command: CommandText,
  place: CommandPlace,
): Promise<WrittenCommand> {
  const { host } = request;
  switch (command.kind) {
    case "line": {
      const line = command.line.reveal();
      if (host.platform.name === "windows") return { argv: host.platform.shell(line), files: [] };
      await writeOwn(place.commandFile, Buffer.from(line));
      return { argv: host.platform.shell(`. ${quote(place.commandFile)}`), files: [], lineFile: place.commandFile };
    }
    case "script": {
      const path = await writeScript(request, command.bytes, place.folder);
      return { argv: scriptArgv(request, path), files: [path] };
    }
  }
}

/** By its path, so that its first line chooses the interpreter; Windows has no such line and runs PowerShell. */
function scriptArgv({ host }: Obtain<"command">, script: string): readonly [string, ...string[]] {
  if (host.platform.name === "windows") return host.platform.interpreter(script);
  return host.platform.shell(quote(script));
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

interface PlannedFile {
  readonly url: URL;
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string | undefined;
}

/**
 * Each file where its command looks for it (filePlaceOfUrl). The same address twice is one file; equal names of two addresses are an
 * error, not an overwrite.
 */
function planFiles(request: Obtain<"command">, files: readonly FileUri[], folder: string): readonly PlannedFile[] {
  const byName = new Map<string, PlannedFile>();
  const script = request.settings.check.command.kind === "script" ? scriptName(request) : undefined;
  for (const { uri, sha256 } of files) {
    const url = parseDownloadUrl(uri.reveal());
    const place = filePlaceOf(url, request.host.platform.name);
    const name = place.join("/");
    const key = request.host.platform.name === "windows" ? name.toLowerCase() : name;
    if (script === key) {
      throw new HandlerError(
        "downloadUrlInvalid",
        `${describeUrl(url.href)} would be saved as ${name}, which is the name of the setting script`,
        { hint: "Give the file another name" },
      );
    }
    const other = byName.get(key);
    if (other === undefined) byName.set(key, { url, path: join(folder, ...place), sha256 });
    else if (other.url.href !== url.href || other.sha256 !== sha256) throw sameName(name, other.url, url);
  }
  return [...byName.values()];
}

function sameName(name: string, one: URL, other: URL): HandlerError {
  return new HandlerError(
    "downloadUrlInvalid",
    `Two of fileUris would be saved as ${name}: ${describeUrl(one.href)} and ${describeUrl(other.href)}`,
    { hint: "Give one of the two files another name" },
  );
}

async function downloadFile(request: Obtain<"command">, { url, path, sha256 }: PlannedFile): Promise<void> {
  await onDisk(path, () => mkdir(dirname(path), { recursive: true, mode: 0o700 }));
  const sink = pinnedSink({ sink: fileSink(path), sha256, description: describeUrl(url.href) });
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

async function writeScript(request: Obtain<"command">, bytes: Buffer, folder: string): Promise<string> {
  const windows = request.host.platform.name === "windows";
  const path = join(folder, scriptName(request));
  const clean = windows ? markScript(bytes) : cleanScript(path, bytes);
  await writeOwn(path, request.settings.check.skipDos2Unix ? bytes : (clean ?? bytes));
  return path;
}

async function writeOwn(path: string, bytes: Buffer): Promise<void> {
  await onDisk(path, async () => {
    await rm(path, { force: true });
    await writeFile(path, bytes, { flag: "wx", mode: 0o500 });
  });
}
