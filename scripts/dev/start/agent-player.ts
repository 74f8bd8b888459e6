import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encryptFor, tenantCertificate, type TenantCertificate } from "./tenant-certificate.ts";
import { unpackPackage } from "./unpack-package.ts";

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
  const certificate = tenantCertificate(libFolder);
  const commands = readCommands(handlerFolder);
  return {
    name,
    handlerFolder,
    statusFolder: folders.statusFolder,
    configFolder: folders.configFolder,
    logFolder: folders.logFolder,
    putSettings(sequence, settings) {
      const text = JSON.stringify({
        runtimeSettings: [{ handlerSettings: handlerSettings(settings, certificate) }],
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

function handlerSettings(settings: HandlerSettings, certificate: TenantCertificate): object {
  const { publicSettings = null, protectedSettings } = settings;
  if (protectedSettings === undefined) {
    return { publicSettings, protectedSettings: null, protectedSettingsCertThumbprint: null };
  }
  return {
    publicSettings,
    protectedSettings: encryptFor(certificate, protectedSettings).toString("base64"),
    protectedSettingsCertThumbprint: certificate.thumbprint,
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
