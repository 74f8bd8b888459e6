import AdmZip from "adm-zip";
import { access, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { CommandResult } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { WineMachine } from "../support/wine-root.ts";
import type { HandlerPackage } from "./real-package.ts";

export const handlerName = "Example.ClusterApi.CAPZ.Windows.Bootstrapping";

/** What the player needs of a machine: a Wine machine has it, and a real Windows. */
type WindowsMachine = Pick<WineMachine, "drive" | "run">;

type AgentCommand = "install" | "enable" | "disable" | "update" | "uninstall";

export interface SeenStatus {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly firstLine: string;
}

/** One version of the handler on a Windows machine, played by the Windows agent's contract. */
export interface WindowsHandler {
  readonly version: string;
  /** Folder on the host. */
  readonly folder: string;
  /** The same as Windows names it. */
  readonly windowsFolder: string;
  putSettings(sequence: number, settings: object): Promise<void>;
  /** `sequence` undefined: the agent's environment does not say it. */
  run(command: AgentCommand, sequence: number | undefined): Promise<CommandResult>;
  /** One look of the check, as JSON. */
  check(): Promise<CommandResult>;
  status(sequence: number): Promise<SeenStatus | undefined>;
  waitFor(what: string, sequence: number, accept?: (status: SeenStatus) => boolean): Promise<SeenStatus>;
  log(): Promise<string>;
}

/**
 * Only against a hang: on a busy machine each start of a program under Wine may take many seconds. Shorter than a test may take
 * (jest.lanes.config.js), so that it is the wait that fails, and says what it waited for and what it saw.
 */
export const guardMs = 240_000;

/** Blanks and letters outside ASCII, as an administrator's own layout may have them. */
const pluginsFolder = "Pakete für Azure";

/** Unpacks the package and lays it out as the Windows agent does. */
export async function unpackHandler(
  machine: WindowsMachine,
  { zip, version }: HandlerPackage,
  plugins = pluginsFolder,
): Promise<WindowsHandler> {
  const program = placeOf(machine, [plugins, "Plugins", handlerName, version]);
  await mkdir(program.folder, { recursive: true });
  new AdmZip(zip).extractAllTo(program.folder, true);
  const logs = placeOf(machine, ["WindowsAzure", "Logs", "Plugins", handlerName, version]);
  return layOut(machine, version, { program, data: program, logs });
}

/** The same with everything but the program in folders whose names are longer than Windows once allowed (260 characters). */
export async function layOutDeep(
  machine: WineMachine,
  { zip, version }: HandlerPackage,
): Promise<WindowsHandler & { readonly data: Place; readonly programData: Place }> {
  const program = placeOf(machine, ["deep", version]);
  await mkdir(program.folder, { recursive: true });
  new AdmZip(zip).extractAllTo(program.folder, true);
  const deep = Array.from({ length: 6 }, (_, level) => `${String(level)} größere Tiefe `.padEnd(50, "ü"));
  const [data, logs, programData] = ["data", "logs", "ProgramData"].map((name) => placeOf(machine, [...deep, name]));
  if (data === undefined || logs === undefined || programData === undefined) throw new Error("A place is missing");
  const launcher = placeOf(machine, ["deep", "launch.cmd"]);
  // Wine sets ProgramData itself.
  const lines = [
    "@set ProgramData=%CAPZ_PROGRAM_DATA%",
    `@call "${program.windowsFolder}\\bin\\capz-bootstrap.cmd" %*`,
  ];
  await writeFile(launcher.folder, lines.join("\r\n"));
  const env = { CAPZ_PROGRAM_DATA: programData.windowsFolder };
  const handler = await layOut(machine, version, { program, data, logs, launcher: launcher.windowsFolder, env });
  return { ...handler, data, programData };
}

/** A folder or file as the host and as Windows name it. */
interface Place {
  readonly folder: string;
  readonly windowsFolder: string;
}

function placeOf(machine: WindowsMachine, parts: readonly string[]): Place {
  return { folder: join(machine.drive, ...parts), windowsFolder: ["C:", ...parts].join("\\") };
}

interface Layout {
  readonly program: Place;
  /** Settings and status. */
  readonly data: Place;
  readonly logs: Place;
  readonly launcher?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Writes HandlerEnvironment.json as the agent does: with a byte order mark and CRLF. */
async function layOut(machine: WindowsMachine, version: string, layout: Layout): Promise<WindowsHandler> {
  const { program, data, logs } = layout;
  for (const made of ["RuntimeSettings", "Status"]) await mkdir(join(data.folder, made), { recursive: true });
  await mkdir(logs.folder, { recursive: true });
  const handlerEnvironment = {
    logFolder: logs.windowsFolder,
    configFolder: `${data.windowsFolder}\\RuntimeSettings`,
    statusFolder: `${data.windowsFolder}\\Status`,
    heartbeatFile: `${data.windowsFolder}\\Status\\HeartBeat.Json`,
    deploymentid: "",
    rolename: "",
    instance: "",
    hostResolverAddress: "",
  };
  const environment = [{ name: handlerName, version: "1", handlerEnvironment }];
  await writeFile(join(program.folder, "HandlerEnvironment.json"), windowsJson(environment));
  const statusOf = (sequence: number) => readStatus(join(data.folder, "Status", `${String(sequence)}.status`));
  const readLog = () => readFile(join(logs.folder, "handler.log"), "utf8").catch(() => "");
  const launcher = layout.launcher ?? `${program.windowsFolder}\\bin\\capz-bootstrap.cmd`;
  return {
    version,
    folder: program.folder,
    windowsFolder: program.windowsFolder,
    putSettings: (sequence, handlerSettings) =>
      writeFile(
        join(data.folder, "RuntimeSettings", `${String(sequence)}.settings`),
        windowsJson({ runtimeSettings: [{ handlerSettings }] }),
      ),
    run: (command, sequence) =>
      machine.run(["cmd", "/c", launcher, command], {
        env: { ...layout.env, ...(sequence === undefined ? {} : { ConfigSequenceNumber: String(sequence) }) },
      }),
    check: () => machine.run(["cmd", "/c", launcher, "check", "--json"]),
    status: statusOf,
    waitFor: (what, sequence, accept = isTerminal) =>
      waitUntil(
        what,
        async () => {
          const status = await statusOf(sequence);
          return status !== undefined && accept(status) ? status : undefined;
        },
        { timeoutMs: guardMs, describe: async () => ({ status: await statusOf(sequence), log: await readLog() }) },
      ),
    log: readLog,
  };
}

/** Public settings only. */
export function open(publicSettings: Readonly<Record<string, string>>): object {
  return { publicSettings, protectedSettings: null, protectedSettingsCertThumbprint: null };
}

/** What the agent copies into a new version's folder: the last sequence, settings and status files. */
export async function carryOver(from: WindowsHandler, to: WindowsHandler): Promise<void> {
  for (const name of ["RuntimeSettings", "Status"]) {
    await cp(join(from.folder, name), join(to.folder, name), { recursive: true });
  }
  await cp(join(from.folder, "mrseq"), join(to.folder, "mrseq"));
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Bytes of the folder's files, to see that none is missing. */
export async function listFolder(folder: string): Promise<readonly string[]> {
  return (await exists(folder)) && (await stat(folder)).isDirectory() ? await readdir(folder) : [];
}

function isTerminal({ kind }: SeenStatus): boolean {
  return kind === "success" || kind === "error";
}

function windowsJson(value: unknown): string {
  return `\uFEFF${JSON.stringify(value, undefined, 2).replaceAll("\n", "\r\n")}\r\n`;
}

const statusFile = v.tuple([
  v.object({
    status: v.object({
      status: v.string(),
      code: v.number(),
      formattedMessage: v.object({ message: v.string() }),
    }),
  }),
]);

async function readStatus(path: string): Promise<SeenStatus | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const [{ status }] = v.parse(statusFile, JSON.parse(text));
  const { message } = status.formattedMessage;
  return { kind: status.status, code: status.code, message, firstLine: message.split("\n", 1)[0] ?? "" };
}
