import type { Machine } from "./machine.ts";
import { exitedUnit, failedUnit, startingUnit } from "./unit-states.ts";

/** A stage as cloud-init names it, and the unit that runs it. */
export interface StageNames {
  readonly stage: "init-local" | "init" | "modules-config" | "modules-final";
  readonly unit: string;
}

/** Where cloud-init keeps what it says of a run; /run has links to it. */
export const dataFolder = "/var/lib/cloud/data";

type Status = Readonly<
  Record<string, { start: number | null; finished: number | null; errors: string[]; recoverable: string[] }>
>;

/** What one run of cloud-init tells of itself while it goes: status.json, result.json, its log and its units. */
export class CloudInitRun {
  readonly machine: Machine;
  readonly status: Status;
  stage: string | null = null;
  datasource: string | null = null;

  constructor(machine: Machine) {
    this.machine = machine;
    const none = (): Status[string] => ({ start: null, finished: null, errors: [], recoverable: [] });
    this.status = { init: none(), "init-local": none(), "modules-config": none(), "modules-final": none() };
  }

  /** Newer releases count from the boot, older ones from 1970. */
  now(): number {
    const { machine } = this;
    return machine.image.cloudInit === "old" ? machine.wallMs / 1_000 : machine.uptimeMs / 1_000;
  }

  save(): void {
    const stages = Object.fromEntries(
      Object.entries(this.status).map(([name, { recoverable, ...state }]) => [
        name,
        { ...state, recoverable_errors: recoverable.length > 0 ? { WARNING: recoverable } : {} },
      ]),
    );
    const v1 = { datasource: this.datasource, ...stages, stage: this.stage };
    this.machine.write(`${dataFolder}/status.json`, `${JSON.stringify({ v1 }, null, 1)}\n`);
    this.machine.files.link("/run/cloud-init/status.json", `${dataFolder}/status.json`);
  }

  begin({ stage, unit }: StageNames): void {
    const { machine } = this;
    this.stage = stage;
    const state = this.status[stage];
    if (state !== undefined) state.start = this.now();
    this.save();
    machine.setUnit(unit, startingUnit);
    this.log(
      `Cloud-init v. 24.1.3 running '${stage.replace("modules-", "modules:")}' at ${logDate(machine)}. Up ${String(machine.uptimeMs / 1_000)} seconds.`,
    );
  }

  finish(names: StageNames): void {
    this.finishStage(names);
    this.leaveUnit(names);
  }

  finishStage({ stage }: StageNames): void {
    const state = this.status[stage];
    if (state !== undefined) state.finished = this.now();
    this.stage = null;
    this.save();
  }

  /** The unit ends when the process has ended, a moment after its last file. */
  leaveUnit({ stage, unit }: StageNames): void {
    this.machine.setUnit(unit, (this.status[stage]?.errors.length ?? 0) > 0 ? failedUnit : exitedUnit);
  }

  fail(stage: StageNames["stage"], error: string): void {
    this.status[stage]?.errors.push(error);
  }

  log(line: string): void {
    this.machine.append("/var/log/cloud-init-output.log", `${line}\n`);
  }

  result(): void {
    const errors = Object.values(this.status).flatMap((state) => state.errors);
    this.machine.write(
      `${dataFolder}/result.json`,
      `${JSON.stringify({ v1: { datasource: this.datasource, errors } }, null, 1)}\n`,
    );
    this.machine.files.link("/run/cloud-init/result.json", `${dataFolder}/result.json`);
  }
}

export function logDate(machine: Machine): string {
  return new Date(machine.wallMs).toUTCString().replace("GMT", "+0000");
}
