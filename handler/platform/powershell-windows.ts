import { existsSync } from "node:fs";
import { win32 } from "node:path";
import type { Host } from "../host.ts";

/** Programs of Windows by absolute path, so that a folder on the PATH can never put another one in their place. */
export interface WindowsPrograms {
  readonly powershell: string;
  readonly cmd: string;
  readonly reg: string;
  readonly sc: string;
  readonly icacls: string;
  readonly taskkill: string;
  readonly tasklist: string;
  readonly wmic: string;
  readonly ping: string;
  readonly wevtutil: string;
  readonly eventcreate: string;
}

export function windowsPrograms(env: Host["env"], exists: (path: string) => boolean = existsSync): WindowsPrograms {
  const system = win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32");
  const powershell = win32.join(system, "WindowsPowerShell", "v1.0", "powershell.exe");
  const core = win32.join(env["ProgramFiles"] ?? "C:\\Program Files", "PowerShell", "7", "pwsh.exe");
  return {
    // Images that carry only another PowerShell have it where its own installer puts it.
    powershell: exists(powershell) ? powershell : core,
    cmd: win32.join(system, "cmd.exe"),
    reg: win32.join(system, "reg.exe"),
    sc: win32.join(system, "sc.exe"),
    icacls: win32.join(system, "icacls.exe"),
    taskkill: win32.join(system, "taskkill.exe"),
    tasklist: win32.join(system, "tasklist.exe"),
    wmic: win32.join(system, "wbem", "WMIC.exe"),
    ping: win32.join(system, "PING.EXE"),
    wevtutil: win32.join(system, "wevtutil.exe"),
    eventcreate: win32.join(system, "eventcreate.exe"),
  };
}

/** A name such as "reg.exe" as one of these programs; any other name, such as crictl's, stays as it is. */
export function programPath(programs: WindowsPrograms, name: string): string {
  const key = win32.basename(name.toLowerCase(), ".exe");
  return isProgram(programs, key) ? programs[key] : name;
}

function isProgram(programs: WindowsPrograms, key: string): key is keyof WindowsPrograms {
  return Object.hasOwn(programs, key);
}

/** Arguments for a script that needs no file: base64 of UTF-16, so that no shell and no quote can change it. */
export function encodedScript(script: string): readonly string[] {
  const quiet = `$ProgressPreference = 'SilentlyContinue'\n${script}`;
  return ["-NoProfile", "-NonInteractive", "-EncodedCommand", Buffer.from(quiet, "utf16le").toString("base64")];
}

/**
 * Output of a Windows program: UTF-16 (WMIC, Wine's tools), with or without a mark, or UTF-8. Some write the console's code page, which
 * nothing tells us: what is not ASCII in it becomes U+FFFD and never a wrong letter.
 */
export function decodeOutput(bytes: Buffer): string {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes.length >= 2 && bytes[1] === 0);
  return (isWide ? bytes.toString("utf16le") : bytes.toString("utf8")).replace(/^\uFEFF/u, "");
}
