import { askAll, askOne, askPaths, changedAt, isThere, type Asking } from "./ask-many.ts";
import {
  isOfDatasource,
  isOfScripts,
  readResultErrors,
  readStage,
  scriptFolder,
  tookFallback,
  userScripts,
} from "./cloud-init.ts";
import type { Provisioning } from "./evidence.ts";
import { bootAt, isOfThisBoot, sameTimeMs, type Moment } from "./observed.ts";
import type { Answers, PathAnswer } from "./questions.ts";

const run = "/run/cloud-init";
const instance = "/var/lib/cloud/instance";
const disabledPath = `${run}/disabled`;
const resultPath = `${run}/result.json`;
const statusPath = `${run}/status.json`;
const userDataMark = `${instance}/sem/config_scripts_user`;
/** Files that cloud-init makes early in every boot, long before it runs any user's command. */
const marksOfBoot = [`${run}/enabled`, `${run}/ds-identify.log`, `${run}/cloud-init-generator.log`];
/** What cloud-init does once for an instance, in its order. The first two come before the files of the user data. */
const marksOfInstance = [
  "consume_data",
  "config_write_files",
  "config_users_groups",
  "config_ssh",
  "config_scripts_user",
].map((name) => `${instance}/sem/${name}`);
const keptByHand = `${instance}/manual-clean`;
const instanceIdPath = "/var/lib/cloud/data/instance-id";
const userDataPath = `${instance}/user-data.txt`;
/** Parts of user data that run something, or begin what goes on, without leaving a script. */
const otherCommands = [
  ...["bootcmd", "boothook", "write_files", "#include", "part-handler", "power_state", "packages:", "snap:"],
  ...["ansible:", "chef:", "puppet:", "salt_minion:", "mcollective:"],
];
/** What cannot be read here: gzip (its first byte), parts in base64. */
const unreadable = ["\u001f", "base64"];
/** Written by Ignition, which then is what this machine's user data is for; cloud-init may be installed all the same. */
const ignitionMarks = ["/etc/.ignition-result.json", "/etc/kubeadm.sh"];
const traces = [
  ...[disabledPath, "/etc/cloud/cloud-init.disabled", "/etc/cloud/cloud.cfg", "/usr/bin/cloud-init", run],
  ...[resultPath, statusPath, ...marksOfBoot, ...marksOfInstance, ...ignitionMarks, userDataPath],
];

/** What cloud-init has done so far, and since when this instance is this instance. */
export interface CloudInitSeen {
  readonly provisioning: Provisioning;
  /** When cloud-init first worked for this instance, by the clock of that time; undefined without cloud-init. */
  readonly instanceSince?: number;
  /** When its user's commands began, by the same clock. */
  readonly commandsSince?: number;
  /** There are marks of an instance, of this one or of one before. */
  readonly hasInstance: boolean;
  /** cloud-init had data and has ended, and the file in which it keeps that of every instance is gone: marks that are left do not date the instance. */
  readonly dataIsGone: boolean;
  /** Times of files cannot be compared: the clock went back between two of cloud-init's own. */
  readonly clockWentBack: boolean;
  /** How long ago it last wrote what it is at; nothing where it has not yet. */
  readonly statusAgeMs: number;
}

export function* observeCloudInit(moment: Moment): Asking<CloudInitSeen> {
  const seen = yield* askPaths(traces);
  const [result, status] = yield* askAll([
    { ask: "text", path: resultPath },
    { ask: "text", path: statusPath },
  ]);
  const errors = textOf(result, readResultErrors);
  const finished = errors !== undefined && isOfThisBoot(moment, resultPath, seen.get(resultPath));
  const stage = textOf(status, readStage) ?? "";
  const state = finished ? "finished" : stateOf(seen);
  const foundNoData = [result, status].some(saysNoData);
  const hasData = state === "finished" && !foundNoData;
  const isUnknown = yield* isUnnamed(moment, { state, foundNoData, isDisabled: isThere(seen, disabledPath) });
  const holdsCommands = state === "running" ? undefined : yield* observeCommands(seen, hasData);
  return {
    provisioning: {
      agent: "cloud-init",
      state,
      stage: stageWords(state, stage),
      userData: userDataRun(moment, seen),
      ...(holdsCommands !== undefined && { holdsCommands }),
      ...(errors !== undefined && !finished && { hasOldResult: true }),
      ...(finished && (textOf(result, tookFallback) === true ? fallback : errorsOf(errors))),
      ...(finished && ageOf(moment, seen.get(resultPath))),
    },
    ...instanceOf(seen, state, isUnknown),
    dataIsGone: isDataGone(seen, hasData),
    clockWentBack: wentBack(moment, seen),
    statusAgeMs: moment.wallMs - statusWrittenAt(moment, seen),
  };
}

function statusWrittenAt({ wallMs }: Moment, seen: ReadonlyMap<string, PathAnswer>): number {
  return changedAt(seen, statusPath) ?? wallMs;
}

function textOf<Read>(answer: Answers["text"] | undefined, read: (text: string) => Read): Read | undefined {
  return answer?.kind === "text" ? read(answer.text) : undefined;
}

/** Until cloud-init has named the instance of this boot, its folder is that of the instance before: perhaps a donor's. */
function instanceOf(
  seen: ReadonlyMap<string, PathAnswer>,
  state: Provisioning["state"],
  isUnknown: boolean,
): Pick<CloudInitSeen, "instanceSince" | "commandsSince" | "hasInstance"> {
  const times = marksOfInstance.flatMap((path) => changedAt(seen, path) ?? []);
  const hasInstance = times.length > 0;
  const isNamed = (state === "running" || state === "finished" || isThere(seen, disabledPath)) && !isUnknown;
  if (!hasInstance || !isNamed) return { hasInstance };
  const commandsSince = changedAt(seen, userDataMark);
  return { hasInstance, instanceSince: Math.min(...times), ...(commandsSince !== undefined && { commandsSince }) };
}

interface Naming {
  readonly state: Provisioning["state"];
  readonly foundNoData: boolean;
  /** It does not run in this boot: its instance is the one that it named last. */
  readonly isDisabled: boolean;
}

/** Where an image says so (manual_cache_clean), cloud-init of a clone goes on with the instance that it finds, and names no other. */
function* isUnnamed({ machine }: Moment, { state, foundNoData, isDisabled }: Naming): Asking<boolean> {
  if (foundNoData) return true;
  if (!isDisabled) {
    if (state !== "finished") return false;
    const kept = yield* askOne({ ask: "path", path: keptByHand });
    if (kept === undefined || kept.kind === "absent") return false;
  }
  const id = textOf(yield* askOne({ ask: "text", path: instanceIdPath }), (text) => text.trim().toLowerCase()) ?? "";
  const isMachineId = /^[\da-f]{8}-[\da-f-]{27}$/u.test(id);
  const isOwn = [machine.vmId, swapped(machine.vmId)].includes(id);
  return isDisabled ? !isOwn : isMachineId && !isOwn;
}

/** Some firmware gives the first three parts of the id with their bytes the other way round. */
function swapped(id: string): string {
  const turn = (part: string): string => (part.match(/../gu) ?? []).toReversed().join("");
  return id
    .split("-")
    .map((part, index) => (index < 3 ? turn(part) : part))
    .join("-");
}

/** A file that was not answered for is not gone. */
function isDataGone(seen: ReadonlyMap<string, PathAnswer>, hasData: boolean): boolean {
  return hasData && seen.get(userDataPath)?.kind === "absent";
}

/** While cloud-init runs, its errors stand in status.json. */
function saysNoData(answer: Answers["text"] | undefined): boolean {
  return answer?.kind === "text" && (isOfDatasource(answer.text) || tookFallback(answer.text));
}

function stateOf(seen: ReadonlyMap<string, PathAnswer>): Provisioning["state"] {
  if (isThere(seen, disabledPath)) return "absent";
  if (isThere(seen, statusPath)) return "running";
  // Whether cloud-init begins at all, systemd's generator decides by the file in /etc at boot, and says so in /run.
  if (isThere(seen, `${run}/enabled`)) return "pending";
  if (isThere(seen, "/etc/cloud/cloud-init.disabled")) return "absent";
  if (ignitionMarks.some((path) => isThere(seen, path))) return "absent";
  const installed = ["/etc/cloud/cloud.cfg", "/usr/bin/cloud-init", run].some((path) => isThere(seen, path));
  return installed ? "pending" : "absent";
}

function stageWords(state: Provisioning["state"], stage: string): string {
  if (state === "finished") return "cloud-init-finished";
  if (state === "absent") return "waiting-for-bootstrap-data";
  switch (stage) {
    case "init-local":
      return "cloud-init-local";
    case "init":
      return "cloud-init-network";
    case "modules-config":
      return "cloud-init-config";
    case "modules-final":
      return "cloud-init-final";
    default:
      return "waiting-for-cloud-init";
  }
}

/**
 * Whether the commands of this instance's user data were begun in this boot. "Earlier" needs every sign to say so, since
 * cloud-init does not run them again: an earlier look that saw no mark, an early file of this boot that is older, the clock.
 */
function userDataRun(moment: Moment, seen: ReadonlyMap<string, PathAnswer>): Provisioning["userData"] {
  const at = changedAt(seen, userDataMark);
  if (at === undefined) {
    if (seen.has(userDataMark)) moment.remember["no-user-data-yet"] = moment.boot.id;
    return "never";
  }
  const noneBefore = moment.memory["no-user-data-yet"];
  if (noneBefore !== undefined) moment.remember["no-user-data-yet"] = noneBefore;
  // systemd's generator makes this file at a boot or takes it away, so it is of this boot whatever its time says.
  if (isThere(seen, disabledPath)) return "earlier-boot";
  if (noneBefore === moment.boot.id) return "this-boot";
  if (isLaterThanItsEnd(moment, seen, at)) return "earlier-boot";
  if (at >= bootAt(moment) - sameTimeMs) return "this-boot";
  if (moment.boot.runIsMemory !== true) return "earlier-boot";
  return marksOfBoot.some((path) => at >= (changedAt(seen, path) ?? Number.POSITIVE_INFINITY))
    ? "this-boot"
    : "earlier-boot";
}

/**
 * Between the first file of this boot and the one that cloud-init writes at its end lies all that it did in this boot. What is later than both,
 * though they are in their order, was written by a clock that was set back before this boot.
 */
function isLaterThanItsEnd(moment: Moment, seen: ReadonlyMap<string, PathAnswer>, at: number): boolean {
  if (moment.boot.runIsMemory !== true) return false;
  const begins = marksOfBoot.flatMap((path) => changedAt(seen, path) ?? []);
  const end = changedAt(seen, resultPath);
  return end !== undefined && begins.length > 0 && Math.max(...begins) <= end && at > end + sameTimeMs;
}

function wentBack(moment: Moment, seen: ReadonlyMap<string, PathAnswer>): boolean {
  const mark = changedAt(seen, userDataMark);
  if (mark === undefined) return false;
  const result = isOfThisBoot(moment, resultPath, seen.get(resultPath)) ? changedAt(seen, resultPath) : undefined;
  return mark > moment.wallMs + sameTimeMs || (result !== undefined && result < mark - sameTimeMs);
}

/**
 * Does cloud-init run a command for the user? The scripts that it made are the answer. Without one, user data that wanted a
 * script could not be read, and what may run something else is not known.
 */
function* observeCommands(seen: ReadonlyMap<string, PathAnswer>, hasData: boolean): Asking<boolean | undefined> {
  const scripts = yield* askOne({ ask: "names", folder: scriptFolder });
  if (scripts?.kind === "names" && userScripts(scripts.names).length > 0) return true;
  const userData = seen.get(userDataPath);
  if (userData === undefined || scripts === undefined) return undefined;
  // cloud-init writes it for every instance, also an empty one: without it the instance's folder was taken away.
  if (userData.kind === "absent") return hasData ? undefined : false;
  const wanted = yield* askOne({
    ask: "mentions",
    path: userDataPath,
    words: ["runcmd", ...otherCommands, ...unreadable],
  });
  if (wanted === undefined) return undefined;
  return wanted.kind === "absent" ? false : wantsNothing(wanted.words);
}

/** False: nothing in this user data runs anything. Undefined: it may, or cannot be read here. */
function wantsNothing(words: readonly string[]): false | undefined {
  if (unreadable.some((word) => words.includes(word))) return undefined;
  return words.includes("runcmd") || words.length === 0 ? false : undefined;
}

const fallback = {
  scriptError: `${resultPath} names DataSourceNone: no datasource had metadata, so that no user data was seen`,
  foundNoData: true,
} as const;

function errorsOf(errors: readonly string[]): Pick<Provisioning, "scriptError" | "otherError" | "foundNoData"> {
  if (errors.length === 0) return {};
  const words = `${resultPath} has errors: ${errors.join("; ")}`;
  if (errors.some(isOfDatasource)) return { scriptError: words, foundNoData: true };
  return errors.some(isOfScripts) ? { scriptError: words } : { otherError: words };
}

function ageOf(moment: Moment, answer: PathAnswer | undefined): Pick<Provisioning, "finishedAgoMs"> {
  if (answer === undefined || answer.kind === "absent") return {};
  const age = moment.wallMs - answer.modifiedMs;
  return age < 0 ? {} : { finishedAgoMs: age };
}
