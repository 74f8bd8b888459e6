import { readFileSync } from "node:fs";
import type { MachineIdentity } from "./platform.ts";

/**
 * Start time of a process in clock ticks since boot (proc_pid_stat(5), field 22): with the pid and the boot id it names
 * one process for ever. The command name in field 2 may hold blanks and parentheses, so fields count from the last ")".
 */
export function startTimeOf(pid: number): string | undefined {
  const fields = statFields(pid);
  return fields === undefined || stageOf(fields) !== "runs" ? undefined : fields[19];
}

/** How long a process that was killed may take to leave the table before it counts as ended all the same. */
const leavingMs = 5000;
const stepMs = 20;

/**
 * Does the process with this start time run? One that was killed is waited for, until it has left the table or is a zombie: whoever takes its
 * place must not be seen beside it. Not for ever: where the processors are busy, one of low priority, as a supervisor is, may take very long.
 */
export async function isSameProcess(
  pid: number,
  startTime: string,
  { read, limitMs }: { readonly read: typeof statFields; readonly limitMs: number } = {
    read: statFields,
    limitMs: leavingMs,
  },
): Promise<boolean> {
  for (let waited = 0; ; waited += stepMs) {
    const fields = read(pid);
    if (fields?.[19] !== startTime || stageOf(fields) === "ended") return false;
    if (stageOf(fields) === "runs") return true;
    if (waited >= limitMs) return false;
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

/** PF_EXITING of the kernel's include/linux/sched.h. */
const exitingFlag = 0x4;
const killBit = 1 << (9 - 1);

/**
 * A zombie has ended; only its parent has not looked yet. One that was killed runs no code of its own any more, and is leaving until the kernel
 * has taken it apart.
 */
export function stageOf(fields: readonly string[]): "runs" | "leaves" | "ended" {
  const [state, flags, pending] = [fields[0], Number(fields[6]), Number(fields[28])];
  if (state === "Z" || state === "X") return "ended";
  return (flags & exitingFlag) !== 0 || (pending & killBit) !== 0 ? "leaves" : "runs";
}

/** Process group of a process. */
export function processGroupOf(pid: number): number | undefined {
  const group = Number(statFields(pid)?.[2]);
  return Number.isSafeInteger(group) && group > 1 ? group : undefined;
}

/** Fields of /proc/<pid>/stat from the third (state) on. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/**
 * VM id: DMI product_uuid, which Azure sets to the VM's unique id (the guest agent compares the same value to see that
 * an image was cloned: WALinuxAgent, pa/provision). Arm64 machines without DMI have the hypervisor's copy in the device tree.
 */
export function linuxIdentity(root: string): MachineIdentity {
  const prefix = root === "/" ? "" : root;
  const vmId =
    firstLine(`${prefix}/sys/class/dmi/id/product_uuid`) ??
    firstLine(`${prefix}/sys/devices/virtual/dmi/id/product_uuid`) ??
    firstLine(`${prefix}/proc/device-tree/vm,uuid`) ??
    firstLine(`${prefix}/etc/machine-id`) ??
    "unknown";
  const bootId = firstLine(`${prefix}/proc/sys/kernel/random/boot_id`) ?? firstLine("/proc/sys/kernel/random/boot_id");
  return { vmId: vmId.toLowerCase(), bootId: bootId ?? "unknown" };
}

function firstLine(path: string): string | undefined {
  try {
    const line = readFileSync(path, "utf8").split("\n", 1)[0]?.replaceAll("\0", "").trim();
    return line === undefined || line === "" ? undefined : line;
  } catch {
    return undefined;
  }
}
