import AdmZip from "adm-zip";
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { keptInRun } from "./kept-in-run.ts";

/**
 * Plays the guest agent (WALinuxAgent: ga/exthandlers): unpacks the zip, writes HandlerEnvironment.json and settings with
 * really encrypted protected settings, runs the commands of HandlerManifest.json with the agent's environment, and reads the
 * status files. The lanes run Debian's real agent; this one needs no root, no systemd and no network.
 */
export interface AgentPlayer {
  readonly name: string;
  readonly handlerFolder: string;
  readonly statusFolder: string;
  readonly configFolder: string;
  readonly logFolder: string;
  putSettings(sequence: number, settings: HandlerSettings): void;
  run(command: AgentCommand, sequence: number, extra?: Readonly<Record<string, string>>): Promise<CommandResult>;
  status(sequence: number): SeenStatus | undefined;
  /** Unpacks another version beside this one, with the environment that the agent prepares. */
  unpack(zip: string, version: string): AgentPlayer;
}

type AgentCommand = "install" | "enable" | "disable" | "update" | "uninstall";

export interface HandlerSettings {
  readonly publicSettings?: Readonly<Record<string, unknown>>;
  readonly protectedSettings?: Readonly<Record<string, unknown>>;
}

export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly output: string;
}

export interface SeenStatus {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly substatuses: Readonly<Record<string, string>>;
}

export interface AgentOptions {
  readonly root: string;
  readonly zip: string;
  readonly version: string;
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const defaultName = "Example.ClusterApi.CAPZ.Linux.Bootstrapping";

export function createAgentPlayer(options: AgentOptions): AgentPlayer {
  const name = options.name ?? defaultName;
  const libFolder = join(options.root, "var/lib/waagent");
  const handlerFolder = join(libFolder, `${name}-${options.version}`);
  const folders = {
    logFolder: join(options.root, "var/log/azure", name),
    configFolder: join(handlerFolder, "config"),
    statusFolder: join(handlerFolder, "status"),
    eventsFolder: join(options.root, "var/log/azure", name, "events"),
  };
  unpackPackage(options.zip, handlerFolder);
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeEnvironment(name, handlerFolder, folders);
  const thumbprint = makeCertificate(libFolder);
  const commands = readCommands(handlerFolder);
  return {
    name,
    handlerFolder,
    statusFolder: folders.statusFolder,
    configFolder: folders.configFolder,
    logFolder: folders.logFolder,
    putSettings(sequence, settings) {
      const text = JSON.stringify({
        runtimeSettings: [{ handlerSettings: handlerSettings(settings, libFolder, thumbprint) }],
      });
      writeFileSync(join(folders.configFolder, `${String(sequence)}.settings`), text, { mode: 0o644 });
    },
    run: (command, sequence, extra = {}) =>
      runCommand({
        line: join(handlerFolder, commands[`${command}Command`] ?? ""),
        cwd: handlerFolder,
        env: { ...agentEnvironment(handlerFolder, options, sequence), ...extra },
      }),
    status: (sequence) => readStatus(join(folders.statusFolder, `${String(sequence)}.status`)),
    unpack: (zip, version) => createAgentPlayer({ ...options, zip, version }),
  };
}

/** Inflating it takes a second, so a run of the tests does it once. */
function unpackPackage(zip: string, folder: string): void {
  const { size, mtimeMs } = statSync(zip);
  const kept = keptInRun(`${basename(zip)}-${String(size)}-${String(mtimeMs)}`, (path) => {
    unzip(zip, path);
  });
  if (kept === undefined) {
    unzip(zip, folder);
    return;
  }
  for (const entry of readdirSync(kept, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, relative(kept, from));
    mkdirSync(dirname(to), { recursive: true });
    takeFile(from, to);
  }
}

/** Programs are linked, because nobody writes into them; everything else is a copy, which a test may change. */
function takeFile(from: string, to: string): void {
  if (statSync(from).size > 10_000_000) {
    try {
      linkSync(from, to);
      return;
    } catch {
      // Another file system.
    }
  }
  copyFileSync(from, to);
}

/** The agent drops the modes that the zip carries and then adds u+x to every file. */
function unzip(zip: string, folder: string): void {
  for (const entry of new AdmZip(zip).getEntries()) {
    const path = join(folder, entry.entryName);
    if (entry.isDirectory) continue;
    mkdirSync(join(path, ".."), { recursive: true });
    writeInPieces(path, entry.getData());
  }
}

/** In pieces of 64 KiB like Python's zipfile: it decides how large the pages are in which the kernel maps the runtime. */
function writeInPieces(path: string, bytes: Buffer): void {
  const file = openSync(path, "w", 0o744);
  for (let start = 0; start < bytes.length; start += 65_536) writeSync(file, bytes.subarray(start, start + 65_536));
  closeSync(file);
}

function writeEnvironment(name: string, handlerFolder: string, folders: Readonly<Record<string, string>>): void {
  const handlerEnvironment = {
    ...folders,
    heartbeatFile: join(handlerFolder, "heartbeat.log"),
    eventsFolder_preview: folders["eventsFolder"],
  };
  const text = JSON.stringify([{ name, version: 1.0, handlerEnvironment }]);
  writeFileSync(join(handlerFolder, "HandlerEnvironment.json"), text);
}

function readCommands(handlerFolder: string): Readonly<Record<string, string>> {
  const manifest: unknown = JSON.parse(readFileSync(join(handlerFolder, "HandlerManifest.json"), "utf8"));
  if (!Array.isArray(manifest)) throw new Error("HandlerManifest.json is no list");
  const first: unknown = manifest[0];
  const commands = objectAt(first, "handlerManifest");
  return Object.fromEntries(Object.entries(commands).map(([key, value]) => [key, String(value)]));
}

function agentEnvironment(handlerFolder: string, options: AgentOptions, sequence: number): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    AZURE_GUEST_AGENT_EXTENSION_PATH: handlerFolder,
    AZURE_GUEST_AGENT_EXTENSION_VERSION: options.version,
    AZURE_GUEST_AGENT_WIRE_PROTOCOL_ADDRESS: "168.63.129.16",
    AZURE_GUEST_AGENT_UNINSTALL_CMD_EXIT_CODE: "NOT_RUN",
    ConfigSequenceNumber: String(sequence),
    CAPZ_BOOTSTRAP_ROOT: options.root,
    ...options.environment,
  };
}

interface CommandCall {
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `/bin/sh -c`, own session, output to files that a left-over child may hold open: read after the command has ended. */
function runCommand({ line, cwd, env }: CommandCall): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", line], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("exit", (code) => {
      resolve({ exitCode: code ?? undefined, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}

/** As the platform does it: an RSA certificate in the agent's folder, named by its SHA-1 in upper-case hex. */
function makeCertificate(libFolder: string): string {
  const known = join(libFolder, "certificate.thumbprint");
  if (existsSync(known)) return readFileSync(known, "utf8");
  const [key, certificate] = [join(libFolder, "new.prv"), join(libFolder, "new.crt")];
  const kept = keptInRun("tenant-certificate", (folder) => {
    mkdirSync(folder);
    requestCertificate(join(folder, "new.prv"), join(folder, "new.crt"));
  });
  if (kept === undefined) requestCertificate(key, certificate);
  else for (const path of [key, certificate]) copyFileSync(join(kept, basename(path)), path);
  const print = execFileSync("openssl", ["x509", "-in", certificate, "-noout", "-fingerprint", "-sha1"], {
    encoding: "utf8",
  });
  const thumbprint = print.split("=")[1]?.replaceAll(":", "").trim() ?? "";
  for (const [from, suffix] of [
    [key, "prv"],
    [certificate, "crt"],
  ] as const) {
    writeFileSync(join(libFolder, `${thumbprint}.${suffix}`), readFileSync(from), { mode: 0o400 });
    rmSync(from);
  }
  writeFileSync(known, thumbprint);
  return thumbprint;
}

function requestCertificate(key: string, certificate: string): void {
  const request = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "30",
    "-subj",
    "/DC=Windows Azure CRP Certificate Generator",
  ];
  execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], { stdio: "ignore" });
}

function handlerSettings(settings: HandlerSettings, libFolder: string, thumbprint: string): object {
  const { publicSettings = null, protectedSettings } = settings;
  if (protectedSettings === undefined) {
    return { publicSettings, protectedSettings: null, protectedSettingsCertThumbprint: null };
  }
  const encrypt = ["cms", "-encrypt", "-binary", "-outform", "DER", "-des3", join(libFolder, `${thumbprint}.crt`)];
  const envelope = execFileSync("openssl", encrypt, {
    input: JSON.stringify(protectedSettings),
    stdio: ["pipe", "pipe", "ignore"],
  });
  return {
    publicSettings,
    protectedSettings: envelope.toString("base64"),
    protectedSettingsCertThumbprint: thumbprint,
  };
}

function readStatus(path: string): SeenStatus | undefined {
  if (!existsSync(path)) return undefined;
  const file: unknown = JSON.parse(readFileSync(path, "utf8"));
  const status = objectAt(Array.isArray(file) ? file[0] : undefined, "status");
  const substatuses = Array.isArray(status["substatus"]) ? status["substatus"] : [];
  return {
    kind: String(status["status"]),
    code: Number(status["code"]),
    message: messageOf(status),
    substatuses: Object.fromEntries(substatuses.map((item: unknown) => [textAt(item, "name"), messageOf(item)])),
  };
}

function messageOf(holder: unknown): string {
  return textAt(objectAt(holder, "formattedMessage"), "message");
}

function textAt(holder: unknown, key: string): string {
  const value = Object.entries(isObject(holder) ? holder : {}).find(([name]) => name === key)?.[1];
  return typeof value === "string" ? value : "";
}

function objectAt(holder: unknown, key: string): Readonly<Record<string, unknown>> {
  const value = isObject(holder) ? holder[key] : undefined;
  if (!isObject(value)) throw new Error(`The file has no object "${key}"`);
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
