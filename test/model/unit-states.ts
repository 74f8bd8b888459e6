import type { UnitState } from "../../scripts/check/questions.ts";

/** States that systemd shows of a unit, as parts of one. */
export const loadedUnit: UnitState = {
  load: "loaded",
  active: "inactive",
  sub: "dead",
  result: "success",
  exitStatus: 0,
  restarts: 0,
};

export const activeUnit: Partial<UnitState> = { active: "active", sub: "running", result: "success", exitStatus: 0 };
export const exitedUnit: Partial<UnitState> = { active: "active", sub: "exited", result: "success", exitStatus: 0 };
export const startingUnit: Partial<UnitState> = { active: "activating", sub: "start", result: "success" };
export const queuedUnit: Partial<UnitState> = { active: "inactive", sub: "dead", result: "success", job: "start" };
export const stoppedUnit: Partial<UnitState> = { active: "inactive", sub: "dead", result: "success", exitStatus: 0 };
export const failedUnit: Partial<UnitState> = { active: "failed", sub: "failed", result: "exit-code", exitStatus: 1 };
/** It has ended, and what its unit says is to be done then runs. */
export const stoppingUnit: Partial<UnitState> = {
  active: "deactivating",
  sub: "stop-post",
  result: "exit-code",
  exitStatus: 1,
};
export const restartingUnit: Partial<UnitState> = {
  active: "activating",
  sub: "auto-restart",
  result: "exit-code",
  exitStatus: 1,
};
