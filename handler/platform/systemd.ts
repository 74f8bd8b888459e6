import { existsSync } from "node:fs";
import type { RunProcess } from "../host.ts";
import type { StartSupervisor } from "./platform.ts";

/**
 * Properties of the supervisor's transient service. Weights and the OOM score make sure that the node's own bootstrap
 * always goes first: of 10,000 the kernel gives our processes one part in a hundred, and kills them before the workload.
 */
const properties = [
  "Description=CAPZ bootstrapping extension: waits for the verdict on this node's bootstrap",
  // A killed supervisor is back at once and goes on with what is left of the deadline; it ends with 0 when it is done.
  "Restart=on-failure",
  "RestartSec=200ms",
  "StartLimitIntervalSec=60",
  "StartLimitBurst=20",
  "TimeoutStopSec=15",
  // The supervisor ends its own tree: the background work of a user's command that succeeded must outlive it.
  "KillMode=process",
  "CPUWeight=10",
  "IOWeight=10",
  "OOMScoreAdjust=500",
  "OOMPolicy=continue",
] as const;

/** Properties that systemd 219 (the oldest that Azure still endorses) knows too. */
const oldProperties = ["Restart=on-failure", "KillMode=process", "OOMScoreAdjust=500"] as const;

/** True where systemd is the service manager (sd_booted(3)); never in a scratch root. */
export function systemdRuns(root: string): boolean {
  return root === "/" && existsSync("/run/systemd/system");
}

/** Starts the command as a transient service; false where systemd refused, so that the caller can start it otherwise. */
export async function startTransientService(request: StartSupervisor, run: RunProcess): Promise<boolean> {
  const unit = `${request.unit}.service`;
  if (await startWith(properties, request, run)) return true;
  if ((await systemctl(["is-active", "--quiet", unit], run)) === 0) return true;
  await systemctl(["reset-failed", unit], run);
  return startWith(oldProperties, request, run);
}

/** Back to the shares that every service has, as the guest agent's own: for the time in which a user's command works there. */
export async function shareFully(unitName: string, run: RunProcess): Promise<void> {
  await systemctl(["set-property", "--runtime", `${unitName}.service`, "CPUWeight=100", "IOWeight=100"], run);
}

/** Stops the supervisor, which ends its check first; quick and silent where there is none. */
export async function stopService(unitName: string, run: RunProcess): Promise<void> {
  await systemctl(["stop", `${unitName}.service`], run);
}

async function startWith(values: readonly string[], request: StartSupervisor, run: RunProcess): Promise<boolean> {
  const result = await run(
    "systemd-run",
    [
      "--quiet",
      "--collect",
      "--no-block",
      `--unit=${request.unit}`,
      ...values.map((v) => `--property=${v}`),
      "--",
      ...request.command,
    ],
    { timeoutMs: 20_000 },
  );
  return result.kind === "exited" && result.code === 0;
}

async function systemctl(args: readonly string[], run: RunProcess): Promise<number | undefined> {
  const result = await run("systemctl", args, { timeoutMs: 20_000 });
  return result.kind === "exited" ? result.code : undefined;
}
