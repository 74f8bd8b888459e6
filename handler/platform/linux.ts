import { existsSync } from "node:fs";
import { join } from "node:path";
import { decryptLinux } from "./decrypt-linux.ts";
import { describeTree, isTreeGone, killTree } from "./kill-tree-linux.ts";
import { startGuardian } from "./guardian-linux.ts";
import type { Platform, StopSupervisor } from "./platform.ts";
import { isSameProcess, linuxIdentity, processGroupOf, startTimeOf } from "./process-linux.ts";
import { linuxHooks } from "./hooks-linux.ts";
import { findUser } from "./find-user-linux.ts";
import { shareFully, startTransientService, stopService, systemdRuns } from "./systemd.ts";

/** How long a supervisor in a session of its own may take to end its check after SIGTERM. */
const stopGraceMs = 5000;

/** What is asked of it seldom is named only when it is asked: its parts are loaded then (publish/late-parts.ts). */
export const linux: Platform = {
  name: "linux",
  defaultRoot: "/",

  paths: (root) => ({
    state: join(root, "var/lib/capz-bootstrap"),
    userFiles: join(root, "var/lib/capz-bootstrap-users"),
    sentinel: join(root, "run/cluster-api/bootstrap-success.complete"),
    watch: [
      join(root, "run/cluster-api"),
      join(root, "run/cloud-init"),
      join(root, "var/lib/cloud/data"),
      join(root, "etc/kubernetes"),
      join(root, "var/lib/kubelet/pki"),
      join(root, "etc/cluster-api"),
    ],
    checkScript: "check.sh",
  }),

  launcher: (programFolder) => join(programFolder, "bin/capz-bootstrap"),
  interpreter: (script) => ["/bin/sh", script],
  shell: (command) => ["/bin/sh", "-c", command],
  get hooks() {
    return linuxHooks;
  },
  decrypt: (request, run) => decryptLinux(request, run),
  killTree: (tree, run) => killTree(tree, run),
  findUser: (name, run) => findUser(name, run),
  endLeftOvers: (marker) => killTree({ marker, graceMs: 0 }),
  async shareFully({ unit, root }, run) {
    if (systemdRuns(root)) await shareFully(unit, run);
  },
  isTreeGone: (marker) => isTreeGone(marker),
  describeTree: (tree, run) => describeTree(tree, run),
  machineIdentity: (root) => Promise.resolve(linuxIdentity(root)),
  selfMark: () => Promise.resolve(startTimeOf(process.pid) ?? "unknown"),
  isSameProcess: (pid, mark) => isSameProcess(pid, mark),

  async startSupervisor(request, run) {
    if (systemdRuns(request.root) && (await startTransientService(request, run))) return;
    startGuardian(request);
  },

  async stopSupervisor(request, run) {
    if (request.inForeground !== true && systemdRuns(request.root)) await stopService(request.unit, run);
    await stopSession(request);
    // The service manager ends the supervisor alone; one that had to be killed could not end its check.
    if (!request.keepTree) await killTree({ marker: request.marker, graceMs: 0 });
  },

  logFolders: (root) => [join(root, "var/log/azure"), join(root, "var/log/capz-bootstrap")],

  console(root) {
    const device = join(root, "dev/console");
    return existsSync(device) ? device : undefined;
  },
};

/** Ends the guardian's process group: first asks, then kills what is left. Only if the pid is still the process we know. */
async function stopSession(request: StopSupervisor): Promise<void> {
  const { pid, startTime } = request;
  if (pid === undefined || startTime === undefined || startTimeOf(pid) !== startTime) return;
  const group = request.inForeground === true ? undefined : processGroupOf(pid);
  signal(group === undefined ? pid : -group, "SIGTERM");
  await waitForEnd(pid, startTime);
  if (startTimeOf(pid) === startTime) signal(group === undefined ? pid : -group, "SIGKILL");
}

async function waitForEnd(pid: number, startTime: string): Promise<void> {
  const step = 20;
  for (let waited = 0; waited < stopGraceMs && startTimeOf(pid) === startTime; waited += step) {
    await new Promise((resolve) => setTimeout(resolve, step));
  }
}

function signal(target: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, name);
  } catch {
    // Already gone.
  }
}
