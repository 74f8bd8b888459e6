import { existsSync } from "node:fs";
import type { WineMachine } from "../support/wine-root.ts";
import { tryCommand, type CommandResult } from "../support/run-command.ts";

// From PowerShell 7, the shell of most workflows, Windows PowerShell would load that one's modules.
delete process.env["PSModulePath"];

/** What a node, or a person, may have of its own in the places that these tests write to and empty. */
const taken = [
  "C:\\run",
  "C:\\etc\\kubernetes",
  "C:\\var\\lib\\kubelet",
  "C:\\Program Files\\Cloudbase Solutions",
  "C:\\Program Files\\capz-bootstrap-hooks",
  "C:\\ProgramData\\capz-bootstrap",
];

/**
 * Why these tests may not run here; undefined where they may. They write to the machine's own folders, its certificate store, its event log and its
 * environment: so only where somebody says that it is thrown away afterwards, and nothing of its own is in their places.
 */
export function refusal(
  env: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  if (env["CAPZ_THROW_AWAY_MACHINE"] !== "1")
    return "These tests change the machine that they run on: CAPZ_THROW_AWAY_MACHINE=1 says that it is thrown away";
  const own = taken.filter((path) => exists(path));
  return own.length === 0 ? undefined : `These tests would change what is not theirs: ${own.join(", ")}`;
}

/** The machine that the tests run on, by the same means as a Wine machine. They change it, so it must be one to throw away. */
export const realMachine: Pick<WineMachine, "drive" | "run"> = {
  drive: "C:\\",
  run: (command, options = {}) => tryCommand(command, options),
};

/** Windows PowerShell 5.1, whatever else is installed. */
export function powershell(script: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const encoded = Buffer.from(
    `$ProgressPreference = 'SilentlyContinue'\n$ErrorActionPreference = 'Stop'\n${script}`,
    "utf16le",
  );
  const program = `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  return tryCommand([program, "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded.toString("base64")], { env });
}

/** Throws with its words where it fails. */
export async function told(script: string): Promise<string> {
  const { code, stdout, stderr } = await powershell(script);
  if (code !== 0) throw new Error(`PowerShell ended with ${String(code)}: ${stderr}`);
  return stdout.trim();
}
