import { isRestartCode, zoneStepMs, type CloudbaseLog, type CloudbaseRun } from "./cloudbase-init-log.ts";
import type { KubeadmOutcome } from "./evidence.ts";
import { sameTimeMs } from "./observed.ts";
import type { PathAnswer } from "./questions.ts";

/** The runs that executed the user data of this instance; a run that does not name its instance is of the one before. */
export function runsOfUserData(runs: readonly CloudbaseRun[], id: string): readonly CloudbaseRun[] {
  let current = "";
  return runs.filter((run) => {
    if (run.instance !== "") current = run.instance;
    return run.userData === "executed" && (current === id || current === "" || id === "");
  });
}

/** What is known of the user data of an instance by all runs that executed it. */
export function summaryOf(
  executed: readonly CloudbaseRun[],
  newest: CloudbaseRun | undefined,
): { readonly ranOnce: boolean; readonly ranNothing: boolean } {
  return {
    ranOnce: executed.length === 1 && executed[0] === newest,
    ranNothing: executed.length > 0 && executed.every(({ ranCommands, end }) => !ranCommands && end === "done"),
  };
}

/** What kubeadm came to in this boot's user data, else in the newest that ran. */
export function kubeadmOf(run: CloudbaseRun | undefined, executed: readonly CloudbaseRun[]): KubeadmOutcome {
  return (run?.userData === "executed" ? run : executed.at(-1))?.kubeadm ?? { kind: "unknown" };
}

/**
 * When the user data was first begun. Local times in the log become UTC by its newest line, whose time is that of the file, whatever zone
 * the machine is in; those of its very first run by its first line, with which the file was made, where the zone or the clock changed since.
 */
export function userDataTime(seen: {
  readonly log: CloudbaseLog;
  readonly executed: readonly CloudbaseRun[];
  readonly file: PathAnswer | undefined;
}): { readonly userDataAt?: number } {
  const { log, executed, file } = seen;
  const run = firstThatDates(executed);
  if (run?.userDataAt === undefined || log.lastAt === undefined || file === undefined || file.kind === "absent")
    return {};
  const first = log.clockWentBack && run === log.runs[0] ? zoneOf(run.beganAt, file.createdMs) : undefined;
  return { userDataAt: run.userDataAt - (first ?? toZone(log.lastAt - file.modifiedMs)) };
}

/** Undefined where a line and a time of the file do not belong together: they are no whole steps apart. */
function zoneOf(lineAt: number | undefined, fileAt: number | undefined): number | undefined {
  if (lineAt === undefined || fileAt === undefined) return undefined;
  const zoneMs = toZone(lineAt - fileAt);
  return Math.abs(lineAt - fileAt - zoneMs) < sameTimeMs ? zoneMs : undefined;
}

function toZone(differenceMs: number): number {
  return Math.round(differenceMs / zoneStepMs) * zoneStepMs;
}

/** A run that names no instance, before one that does, may be a donor's (its log was cleared in mid-run): it dates nothing. */
function firstThatDates(executed: readonly CloudbaseRun[]): CloudbaseRun | undefined {
  return executed.find(({ instance }) => instance !== "") ?? executed[0];
}

/** It failed, or a restart ended it: then the log has a newer run, and this one has no end. */
export function wentBadly(run: CloudbaseRun, newest: CloudbaseRun | undefined): boolean {
  const { failure, kubeadm, returnCode, end } = run;
  if (failure !== "" || kubeadm.kind === "failed") return true;
  return returnCode === undefined ? end === "none" && run !== newest : isRestartCode(returnCode);
}
