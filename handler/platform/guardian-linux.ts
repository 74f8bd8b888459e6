import { closeSync } from "node:fs";
import { openOutput } from "../files/open-output.ts";
import type { StartSupervisor } from "./platform.ts";

/**
 * Where no service manager watches over the supervisor, a shell does: it starts it again when a signal ended it
 * (exit status above 128), at most twenty times, and ends with it otherwise. Like the systemd service it gives way to
 * the node's own bootstrap: low priority, and the kernel's first choice when memory runs out.
 */
const guardian = `{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
renice -n 10 $$ >/dev/null 2>&1
n=0
while [ "$n" -lt 20 ]; do
  "$@" && exit 0
  [ "$?" -gt 128 ] || exit 1
  n=$((n + 1))
  sleep 1
done`;

/** By which the shell that starts supervisors is known among other processes. */
const guardianName = "capz-bootstrap-guardian";

/** Starts the command in a session of its own: no terminal, no pipe, not in the agent's process group (it kills that). */
export function startGuardian(request: StartSupervisor): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const output = openOutput(request.outputFile);
  try {
    const child = spawn("/bin/sh", ["-c", guardian, guardianName, ...request.command], {
      detached: true,
      stdio: ["ignore", output ?? "ignore", output ?? "ignore"],
      cwd: "/",
    });
    child.on("error", () => undefined);
    child.unref();
  } finally {
    if (output !== undefined) closeSync(output);
  }
}
