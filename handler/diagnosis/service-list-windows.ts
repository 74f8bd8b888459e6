/** All services as sc.exe lists them, in one call; the largest answer that it takes a size for. */
export const listServices = ["sc.exe", "query", "type=", "service", "state=", "all", "bufsize=", "262144"] as const;

/** Those that a node depends on. */
const ofTheNode =
  /^(?:kubelet|containerd|docker|cloudbase-init|hns|vmcompute|rke2|k0sworker|kube-proxy|WindowsAzureGuestAgent)/iu;

/** SERVICE_STATUS.dwCurrentState (winsvc.h). */
const states = [
  "Unknown",
  "Stopped",
  "StartPending",
  "StopPending",
  "Running",
  "ContinuePending",
  "PausePending",
  "Paused",
] as const;

/**
 * "kubelet ActiveState=Stopped ExecMainStatus=1067". Labels and words are in the language of the system, so a service begins with the
 * line behind an empty one, its name stands behind the colon, and of the numbered fields below the second is the state and the third
 * the exit code.
 */
export function showServices(output: string): string {
  return output
    .split(/\r?\n\s*\r?\n/u)
    .flatMap((block) => showService(block) ?? [])
    .join("\n");
}

function showService(block: string): string | undefined {
  const lines = block.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const name = valueOf(lines[0] ?? "");
  if (name === undefined || !ofTheNode.test(name)) return undefined;
  const numbers = lines.filter((line) => /^\s/u.test(line)).map((line) => Number.parseInt(valueOf(line) ?? "", 10));
  const [, state = 0, exit] = numbers.filter((number) => !Number.isNaN(number));
  return `${name} ActiveState=${states[state] ?? "Unknown"}${exit === undefined ? "" : ` ExecMainStatus=${String(exit)}`}`;
}

function valueOf(line: string): string | undefined {
  const at = line.indexOf(":");
  return at === -1 ? undefined : line.slice(at + 1).trim();
}
