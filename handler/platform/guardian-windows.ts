import { closeSync } from "node:fs";
import { setPriority } from "node:os";
import { openOutput } from "../files/open-output.ts";
import type { Host } from "../host.ts";
import type { StartSupervisor } from "./platform.ts";
import type { WindowsPrograms } from "./powershell-windows.ts";

/** BELOW_NORMAL_PRIORITY_CLASS, which children inherit: the node's own bootstrap goes first. */
const belowNormal = 10;

/** What the command processor is given: its line, and the variables that the line reads. */
export interface Guardian {
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Windows has no service manager for a program like ours, so a command processor watches over the supervisor: it starts it
 * again when something ended it (at most twenty times, a second apart) and ends with it otherwise. Exit codes: 0 = done,
 * 70 = an error of ours that would come again, 143 = asked to stop. `if errorlevel N` means "N or more". Paths come from variables by
 * delayed expansion, which is the last: a `%i` or a `%NAME%` in the name of a folder stays what it is.
 */
export function guardianOf(command: readonly string[], ping: string): Guardian {
  const env: Record<string, string> = {};
  const quoted = (text: string): string => {
    const name = `CAPZ_GUARDED_${String(Object.keys(env).length)}`;
    env[name] = text;
    return `"!${name}!"`;
  };
  const parts = command.map((part) => (/^[\w.:=-]+$/u.test(part) ? part : quoted(part)));
  const giveUp = [70, 143].map((code) => `(if errorlevel ${String(code)} if not errorlevel ${String(code + 1)} exit)`);
  // Where ping is taken away or refused, the runtime itself waits.
  const pause = `(${quoted(ping)} -n 2 127.0.0.1 >nul 2>&1 || ${parts[0] ?? ""} -e "setTimeout(Date,1000)")`;
  const line = `for /L %i in (1,1,20) do (${parts.join(" ")} && exit 0 || ${giveUp.join(" & ")} & ${pause})`;
  return { line, env };
}

/** Starts it without a console and outside our job, so that it outlives this command and the guest agent. */
export function startGuardian(
  { cmd, ping }: Pick<WindowsPrograms, "cmd" | "ping">,
  request: StartSupervisor,
  { command, env: ours }: { readonly command: readonly string[]; readonly env: Host["env"] },
): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const output = openOutput(request.outputFile);
  const { line, env } = guardianOf(command, ping);
  try {
    const child = spawn(cmd, ["/d", "/s", "/v:on", "/c", `"${line}"`], {
      env: { ...ours, ...env },
      detached: true,
      windowsHide: true,
      windowsVerbatimArguments: true,
      stdio: ["ignore", output ?? "ignore", output ?? "ignore"],
      cwd: request.root,
    });
    child.on("error", () => undefined);
    if (child.pid !== undefined) lowerPriority(child.pid);
    child.unref();
  } finally {
    if (output !== undefined) closeSync(output);
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, belowNormal);
  } catch {
    // It has ended, or the system refuses: the wait itself costs little.
  }
}
