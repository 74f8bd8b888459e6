import { changedAt, type Asking, askPaths } from "./ask-many.ts";
import { zoneStepMs, type CloudbaseRun } from "./cloudbase-init-log.ts";
import { bootAt, sameTimeMs, type Moment } from "./observed.ts";
import type { PathAnswer } from "./questions.ts";

const filesOfBoot = ["C:\\Windows\\bootstat.dat", "C:\\pagefile.sys"];

/** When this boot began, by the present clock and by files that Windows makes at every boot. */
export interface BootMarks {
  readonly marks: readonly number[];
  /** The newest of those files; undefined where there is none. */
  readonly bootFileAt?: number;
}

export function* observeBootMarks(moment: Moment): Asking<BootMarks> {
  const seen = yield* askPaths(filesOfBoot);
  const files = filesOfBoot.flatMap((name) => changedAt(seen, name) ?? []);
  return { marks: [bootAt(moment), ...files], ...(files.length > 0 && { bootFileAt: Math.max(...files) }) };
}

/**
 * Is the newest run in the log of this boot? Every boot makes one. Sure when the log was seen to grow in this boot, or when a
 * look of this boot, or of an earlier one, has seen that run; else the time of the file must do.
 */
export function isRunOfThisBoot(seen: {
  readonly moment: Moment;
  readonly newest: CloudbaseRun;
  /** Local time of the log's newest line, which is the time of the file in the zone of the log. */
  readonly lastAt: number | undefined;
  readonly file: PathAnswer | undefined;
  /** When this boot began, by the present clock and by files that Windows makes at every boot. */
  readonly bootMarks: readonly number[];
}): boolean {
  const { moment, newest, lastAt, file, bootMarks } = seen;
  const grew = hasGrown(moment, file);
  const [ranIn, began] = split(moment.memory["run"]);
  const wasSeen = began === newest.began && !grew;
  if (file === undefined) {
    // No answer this time: neither for this look nor for the next one.
    if (moment.memory["run"] !== undefined) moment.remember["run"] = moment.memory["run"];
    return wasSeen && ranIn === moment.boot.id;
  }
  const beganAt = beginningOf(newest, lastAt, file) ?? Number.POSITIVE_INFINITY;
  const ofThisBoot = wasSeen
    ? ranIn === moment.boot.id
    : grew ||
      (!isOfFuture(moment, file) &&
        reliable(moment, bootMarks).some((since) => changedSince(file, since) && beganAt >= since - sameTimeMs));
  moment.remember["run"] = `${ofThisBoot ? moment.boot.id : wasSeen ? ranIn : "earlier"} ${newest.began}`;
  return ofThisBoot;
}

/**
 * When a run began, by the clock of the file: a run of this boot began in it, also where the clock was set back to just when an earlier one
 * ended. Undefined where its lines are so far apart that the zone may have changed between them.
 */
function beginningOf({ beganAt }: CloudbaseRun, lastAt: number | undefined, file: PathAnswer): number | undefined {
  if (beganAt === undefined || lastAt === undefined || file.kind === "absent") return undefined;
  return lastAt - beganAt < zoneStepMs ? file.modifiedMs - (lastAt - beganAt) : undefined;
}

/** A file of this boot that lies in the future: the clock was set back since, and a boot reckoned from it is too early. */
function reliable({ wallMs }: Moment, bootMarks: readonly number[]): readonly number[] {
  const ofFuture = bootMarks.filter((at) => at > wallMs + 2 * sameTimeMs);
  return ofFuture.length > 0 ? ofFuture : bootMarks;
}

/** Has the log changed since the first look of this boot? */
function hasGrown(moment: Moment, file: PathAnswer | undefined): boolean {
  if (file === undefined) return false;
  const mark = file.kind === "absent" ? "absent" : `${file.size} ${file.modifiedMs}`;
  const [boot, first] = split(moment.memory["log"]);
  const firstMark = boot === moment.boot.id && first !== "" ? first : mark;
  moment.remember["log"] = `${moment.boot.id} ${firstMark}`;
  return firstMark !== mark;
}

function split(text: string | undefined): readonly [string, string] {
  const at = text?.indexOf(" ") ?? -1;
  return text === undefined || at < 0 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The clock was set back since: then no time tells of which boot it is. */
function isOfFuture({ wallMs }: Moment, file: PathAnswer | undefined): boolean {
  return changedSince(file, wallMs + 2 * sameTimeMs);
}

function changedSince(file: PathAnswer | undefined, since: number): boolean {
  return file !== undefined && file.kind !== "absent" && file.modifiedMs >= since - sameTimeMs;
}

/** The clock was: the log was last written before it was made. */
export function wasSetBack(file: PathAnswer | undefined): boolean {
  if (file === undefined || file.kind === "absent" || file.createdMs === undefined) return false;
  return file.modifiedMs < file.createdMs - sameTimeMs;
}
