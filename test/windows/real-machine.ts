import type { WineMachine } from "../support/wine-root.ts";
import { tryCommand, type CommandResult } from "../support/run-command.ts";

// From PowerShell 7, the shell of most workflows, Windows PowerShell would load that one's modules.
delete process.env["PSModulePath"];

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
