import type { BootedNode } from "../support/booted-node.ts";

/** The supervisor's transient service as systemd shows it. */
export interface SupervisorUnit {
  readonly unit: string;
  readonly pid: number;
  readonly restarts: number;
  readonly controlGroup: string;
  readonly cpuWeight: string;
  readonly ioWeight: string;
  readonly oomScoreAdjust: string;
}

const properties = ["MainPID", "NRestarts", "ControlGroup", "CPUWeight", "IOWeight", "OOMScoreAdjust"];

/** Units of ours that are loaded now; an ended supervisor's unit is collected at once. */
export async function supervisorUnits(node: BootedNode): Promise<readonly SupervisorUnit[]> {
  const list = await node.run(["systemctl", "list-units", "--all", "--plain", "--no-legend", "capz-bootstrap-*"]);
  const names = list
    .split("\n")
    .map((line) => line.trim().split(/\s+/u)[0] ?? "")
    .filter((name) => name.endsWith(".service"));
  const units: SupervisorUnit[] = [];
  for (const unit of names) {
    const shown = await node.run(["systemctl", "show", unit, ...properties.map((name) => `--property=${name}`)]);
    const value = new Map(shown.split("\n").map((line) => [line.split("=")[0], line.split("=").slice(1).join("=")]));
    units.push({
      unit,
      pid: Number(value.get("MainPID")),
      restarts: Number(value.get("NRestarts")),
      controlGroup: value.get("ControlGroup") ?? "",
      cpuWeight: value.get("CPUWeight") ?? "",
      ioWeight: value.get("IOWeight") ?? "",
      oomScoreAdjust: value.get("OOMScoreAdjust") ?? "",
    });
  }
  return units;
}

/** The one running supervisor; undefined when there is none. */
export async function runningSupervisor(node: BootedNode): Promise<SupervisorUnit | undefined> {
  const running = (await supervisorUnits(node)).filter((unit) => unit.pid !== 0);
  if (running.length > 1) throw new Error(`Several supervisors run at once: ${JSON.stringify(running)}`);
  return running[0];
}

/** Command lines of every process on the node that is the handler's or a child of it. */
export async function handlerProcesses(node: BootedNode): Promise<readonly string[]> {
  const list = await node.run(["ps", "-eo", "pid=,args="]);
  return list.split("\n").filter((line) => line.includes("capz-bootstrap"));
}
