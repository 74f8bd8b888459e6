import type { Machine } from "./machine.ts";

export const cloudbaseLogPath = "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\log\\cloudbase-init.log";

/** Azure's id of the role instance: another one for each virtual machine, and not its SMBIOS id. */
export function instanceIdOf(machine: Machine): string {
  return machine.roleInstance;
}

export function cloudbasePluginsKey(machine: Machine): string {
  return `HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\${instanceIdOf(machine)}\\Plugins`;
}

/** The log's times are local ones, in the zone of the moment of writing, with nothing that says which. */
export function cloudbaseStamp(wallMs: number, zoneMinutes: number): string {
  return new Date(wallMs + zoneMinutes * 60_000).toISOString().replace("T", " ").replace("Z", "");
}

export type Level = "DEBUG" | "INFO" | "WARNING" | "ERROR";

export interface LogLine {
  readonly level: Level;
  readonly logger: string;
  readonly text: string;
}

export function logCloudbase(machine: Machine, { level, logger, text }: LogLine): void {
  const stamp = cloudbaseStamp(machine.wallMs, machine.zoneMinutes);
  machine.append(cloudbaseLogPath, `${stamp} 1840 ${level} cloudbaseinit.${logger} [-] ${text}\r\n`);
}

/** How Python prints the bytes of a program's output: one line, whatever they hold. */
export function pythonBytes(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\r", "\\r").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return escaped.includes("'") && !escaped.includes('"') ? `b"${escaped}"` : `b'${escaped.replaceAll("'", "\\'")}'`;
}
