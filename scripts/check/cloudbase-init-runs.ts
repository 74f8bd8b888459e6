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

/** UTC as it is known, and the log's own words for it. */
export interface UserDataTime {
  readonly at: number;
  readonly localAt: number;
  /** Its zone is known. */
  readonly isSure: boolean;
  /** How long before it the first line about this instance was written. */
  readonly sinceNamedMs: number;
  /** The log's own words for the user data of the runs before it: what they wrote may lie on the disk still. */
  readonly earlierLocalAts: readonly number[];
}

/**
 * When the user data was first begun. Local times in the log become UTC by its newest line, whose time is that of the file, whatever zone
 * the machine is in; those of its very first run by its first line, with which the file was made.
 */
export function userDataTime(seen: {
  readonly log: CloudbaseLog;
  readonly executed: readonly CloudbaseRun[];
  readonly file: PathAnswer | undefined;
}): UserDataTime | undefined {
  const { log, executed, file } = seen;
  const run = firstThatDates(executed);
  if (run?.userDataAt === undefined || log.lastAt === undefined || file === undefined || file.kind === "absent")
    return undefined;
  const localAt = run.userDataAt;
  const common = {
    localAt,
    sinceNamedMs: timeSinceNamed(run, localAt, log.runs),
    earlierLocalAts: log.runs.slice(0, log.runs.indexOf(run)).flatMap(({ userDataAt }) => userDataAt ?? []),
  };
  const last = toZone(log.lastAt - file.modifiedMs);
  const first = zoneOfFirst(log.runs[0], file);
  const isNewest = run === log.runs.at(-1);
  if (run === log.runs[0]) return { ...common, at: localAt - (first ?? last), isSure: first !== undefined || isNewest };
  const isSure = isNewest || (first === last && !log.clockWentBack);
  // Of the runs between the two nobody knows where the zone was changed: the latest time takes nothing of a donor's for this machine's.
  const at = isSure ? localAt - last : Math.min(localAt + westernmostMs, file.modifiedMs);
  return { ...common, at, isSure };
}

/** UTC-12: nowhere is a local time further behind. */
const westernmostMs = 12 * 3_600_000;

/** So soon the user data's files are written after it was begun. */
const writesWithinMs = 20_000;

/**
 * When the user data was begun by a file that it wrote, which has a UTC time: where the two lie whole steps apart, the file is of that run. Not
 * where the same is true of a run before it: that one may have been a donor's, and its file a whole step away by chance.
 */
export function timeByFile({ localAt, earlierLocalAts }: UserDataTime, writtenAt: number): number | undefined {
  const mayBeEarlier = earlierLocalAts.some((earlier) => timeOfWriter(earlier, writtenAt) !== undefined);
  return mayBeEarlier ? undefined : timeOfWriter(localAt, writtenAt);
}

function timeOfWriter(localAt: number, writtenAt: number): number | undefined {
  const zoneMs = toZone(localAt - writtenAt + writesWithinMs / 2);
  const delayMs = writtenAt - (localAt - zoneMs);
  const isZone = zoneMs >= -westernmostMs && zoneMs <= easternmostMs;
  return isZone && delayMs >= -sameTimeMs && delayMs <= writesWithinMs ? localAt - zoneMs : undefined;
}

/** UTC+14. */
const easternmostMs = 14 * 3_600_000;

/** An earlier run may have been ended before it came to the user data. */
function timeSinceNamed(run: CloudbaseRun, localAt: number, runs: readonly CloudbaseRun[]): number {
  const named = runs.find(({ instance }) => instance !== "" && instance === run.instance);
  return Math.max(0, localAt - ((named ?? run).beganAt ?? localAt));
}

type FileAnswer = Exclude<PathAnswer, { readonly kind: "absent" }>;

/** Undefined where the first line and the making of the file do not belong together: they are no whole steps apart, or it is a copy. */
function zoneOfFirst(first: CloudbaseRun | undefined, { createdMs, modifiedMs }: FileAnswer): number | undefined {
  if (first?.beganAt === undefined || createdMs === undefined || createdMs >= modifiedMs) return undefined;
  const zoneMs = toZone(first.beganAt - createdMs);
  return Math.abs(first.beganAt - createdMs - zoneMs) < sameTimeMs ? zoneMs : undefined;
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
