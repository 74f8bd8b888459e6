import { closeSync } from "node:fs";
import { setPriority } from "node:os";
import { openOutput } from "../files/open-output.ts";
import type { StartSupervisor } from "./platform.ts";
import type { WindowsPrograms } from "./powershell-windows.ts";

/** BELOW_NORMAL_PRIORITY_CLASS, which children inherit: the node's own bootstrap goes first. */
const belowNormal = 10;

/**
 * Windows has no service manager for a program like ours, so a command processor watches over the supervisor: it starts it
 * again when something ended it (at most twenty times, a second apart) and ends with it otherwise. Exit codes: 0 = done,
 * 70 = an error of ours that would come again, 143 = asked to stop. `if errorlevel N` means "N or more".
 */
export function guardianLine(command: readonly string[], ping: string): string {
  const call = command.map((part) => (/^[\w.:=-]+$/u.test(part) ? part : `"${part}"`)).join(" ");
  const giveUp = [70, 143].map((code) => `(if errorlevel ${String(code)} if not errorlevel ${String(code + 1)} exit)`);
  return `for /L %i in (1,1,20) do (${call} && exit 0 || ${giveUp.join(" & ")} & "${ping}" -n 2 127.0.0.1 >nul)`;
}

/** Starts it without a console and outside our job, so that it outlives this command and the guest agent. */
export function startGuardian(
  { cmd, ping }: Pick<WindowsPrograms, "cmd" | "ping">,
  request: StartSupervisor,
  command: readonly string[],
): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const output = openOutput(request.outputFile);
  try {
    const child = spawn(cmd, ["/d", "/s", "/v:off", "/c", `"${guardianLine(command, ping)}"`], {
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
