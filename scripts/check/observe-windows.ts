import { askOne, askPaths, changedAt, type Asking } from "./ask-many.ts";
import type { Origin } from "./certificate-owner.ts";
import type { Evidence, KubeadmOutcome, Provisioning, Sentinel } from "./evidence.ts";
import { layoutsOfAll } from "./node-layouts.ts";
import { bootAt, isSinceBoot, sameTimeMs, type Moment } from "./observed.ts";
import { wasSetBack } from "./cloudbase-init-boot.ts";
import { timeByFile } from "./cloudbase-init-runs.ts";
import { observeCloudbaseInit, startsWithinMs, type CloudbaseInstance } from "./observe-cloudbase-init.ts";
import { observeNodes, observeServices } from "./observe-nodes.ts";
import { observeTraces, type Traces } from "./providers.ts";
import type { PathAnswer } from "./questions.ts";
import type { Observed } from "./look-parts.ts";
import { kubeadmStage } from "./stages.ts";

const sentinelPath = "C:\\run\\cluster-api\\bootstrap-success.complete";
const userFiles = ["C:\\run\\kubeadm\\kubeadm.yaml", "C:\\run\\kubeadm\\kubeadm-join-config.yaml"];
/** The log's local times of an earlier boot may be of another time zone: as far apart as any two zones are. */
const zonesMs = 26 * 3_600_000;
const currentVersion = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
/** cloudbase-init's lines and the file system round. */
const roundingMs = 2000;

export function* observeWindows(moment: Moment, setting: string): Asking<Observed> {
  const file = yield* askOne({ ask: "path", path: sentinelPath });
  // Seen to appear in this boot it decides alone. Then no program is asked: on a busy machine each one costs a second.
  const isNew = appearedInThisBoot(moment, file);
  const { provisioning, kubeadm: outcome, instance } = yield* observeCloudbaseInit(moment, { filesAlone: isNew });
  const setUpAt = !isNew && (isOver(provisioning) || isPresent(file)) ? yield* observeSetUp() : undefined;
  const { written, writtenInThisBoot, filesWereSetBack } = yield* observeUserFiles(moment);
  const began = userDataBegan(instance, written);
  const sentinel = viewSentinel(
    { moment, instance, began, setUpAt, userData: provisioning.userData, filesWereSetBack },
    file,
  );
  const ranInThisBoot = provisioning.userData === "this-boot";
  const since = ranInThisBoot && instance.ranOnce ? earliestOf(began, writtenInThisBoot) : began;
  const isFirst = ranInThisBoot && since !== undefined;
  const request = {
    system: "windows",
    setting,
    provisioning,
    runIsMemory: false,
    ...(isFirst && { instanceSince: since }),
  } as const;
  const traces = yield* observeTraces(request);
  const providers = traces.providers.length > 0 ? traces.providers : [plainProvider(provisioning)];
  const layouts = isNew || waitsForUserData(provisioning, sentinel) ? [] : layoutsOfAll("windows", providers);
  const services = yield* observeServices("windows", [...new Set(layouts.flatMap((layout) => layout.services))]);
  const origin = originOf({
    provisioning,
    instance,
    since,
    setUpAt,
    sentinel,
    ranUntold: ranUntold(instance, writtenInThisBoot),
    filesWereSetBack,
  });
  const nodes = yield* observeNodes({ moment, layouts, services, origin });
  const stage = provisioning.state === "running" ? yield* stageOf(provisioning.userData) : provisioning.stage;
  const evidence: Evidence = {
    system: "windows",
    setting,
    boot: moment.boot,
    machine: moment.machine,
    provisioning: { ...provisioning, stage },
    sentinel,
    kubeadm: kubeadmOf(outcome, traces),
    nodes,
    services,
    running: [],
    controllerRuns: false,
    kubeadmConfigWaits: false,
  };
  return { evidence, providers };
}

function kubeadmOf(outcome: KubeadmOutcome, { role, mayBeControlPlane }: Traces): Evidence["kubeadm"] {
  return {
    // cloudbase-init waits for all that it starts: when it has finished, no kubeadm of the user data is left.
    runs: false,
    outcome,
    outcomeIsOwn: true,
    role,
    mayBeControlPlane,
    isUnfinished: false,
    namedByScript: false,
    promisesSentinel: false,
  };
}

function isOver({ state }: Provisioning): boolean {
  return state !== "pending" && state !== "running";
}

function plainProvider({ holdsCommands }: Provisioning): string {
  return holdsCommands === false ? "none" : "custom";
}

function waitsForUserData({ state }: Provisioning, sentinel: Sentinel): boolean {
  return state === "pending" || (state === "running" && sentinel.state !== "counts");
}

/**
 * Where the log is gone, the files of the user data say that it ran in this boot, or the registry that it may have, and nothing says what came
 * of it.
 */
function ranUntold({ userDataTime, isOneOfSeveral }: CloudbaseInstance, written: readonly number[]): boolean {
  return userDataTime === undefined && (written.length > 0 || isOneOfSeveral);
}

function originOf(seen: {
  readonly provisioning: Provisioning;
  readonly instance: CloudbaseInstance;
  readonly since: number | undefined;
  readonly setUpAt: number | undefined;
  readonly sentinel: Sentinel;
  readonly ranUntold: boolean;
  readonly filesWereSetBack: boolean;
}): Origin {
  const { provisioning, instance, since, setUpAt, sentinel, ranUntold } = seen;
  const newerTells = !mayHaveGoneBack(instance, seen.filesWereSetBack);
  return {
    ...(instance.isNamed && since !== undefined && { since }),
    slackMs: provisioning.userData === "this-boot" && instance.ranOnce ? beforeUserData(instance) : zonesMs,
    ...(setUpAt !== undefined && { setUpAt }),
    clockWentBack: instance.clockWentBack,
    newerTells,
    beganInThisBoot: false,
    // The log orders the times of all boots, where it is whole.
    orderIsSure: !instance.logLacksBeginning,
    // Where no user data ran in this boot, nothing is to come that would make a newer one.
    bootTells: newerTells && runsNothing(provisioning),
    bootedAt: instance.bootedAt,
    nameTells: instance.isNamed && instance.registered !== "done",
    bootstraps: ranUntold || (provisioning.userData !== "never" && !instance.ranNothing),
    nameProves: sentinel.state === "counts" ? "always" : ranUntold ? "of-this-boot" : "unless-failed",
  };
}

function mayHaveGoneBack({ clockWentBack, wasSetBack: logWas }: CloudbaseInstance, filesWere: boolean): boolean {
  return clockWentBack || logWas || filesWere;
}

function runsNothing({ holdsCommands, foundNoData }: Provisioning): boolean {
  return holdsCommands !== true || foundNoData === true;
}

/** A kubelet that has a token in its image starts at boot, and may join before cloudbase-init comes to the user data. */
function beforeUserData({ userDataTime }: CloudbaseInstance): number {
  return (userDataTime?.sinceNamedMs ?? 0) + startsWithinMs;
}

/** By the log; a file that its user data wrote has no zone, and may say that it was later. */
function userDataBegan(
  { userDataTime, logLacksBeginning }: CloudbaseInstance,
  written: readonly number[],
): number | undefined {
  if (userDataTime === undefined) return undefined;
  const { at, isSure } = userDataTime;
  // What else may have written them stands in the whole log only.
  const byFiles = isSure || logLacksBeginning ? [] : written.flatMap((one) => timeByFile(userDataTime, one) ?? []);
  return byFiles.length > 0 ? Math.max(...byFiles) : at;
}

/** The earliest sign of this instance's user data: files that it wrote in this boot carry no time zone, unlike the log. */
function earliestOf(began: number | undefined, written: readonly number[]): number | undefined {
  return began === undefined ? undefined : Math.min(began, ...written);
}

/** When the user data wrote its files; and whether it wrote them again by an earlier clock than that which made them. */
function* observeUserFiles(moment: Moment): Asking<{
  readonly written: readonly number[];
  readonly writtenInThisBoot: readonly number[];
  readonly filesWereSetBack: boolean;
}> {
  const seen = yield* askPaths(userFiles);
  const written = userFiles.flatMap((path) => changedAt(seen, path) ?? []);
  return {
    written,
    writtenInThisBoot: written.filter((at) => at >= bootAt(moment)),
    filesWereSetBack: userFiles.some((path) => wasSetBack(seen.get(path))),
  };
}

/** When sysprep's first start set up Windows: it parts an image from its machines. */
function* observeSetUp(): Asking<number | undefined> {
  const answer = yield* askOne({ ask: "registry", key: currentVersion });
  const seconds = answer?.kind === "values" ? Number(answer.values["InstallDate"]) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

interface SentinelRequest {
  readonly moment: Moment;
  readonly instance: CloudbaseInstance;
  /** When its user data was first begun. */
  readonly began: number | undefined;
  readonly setUpAt: number | undefined;
  readonly userData: "never" | "this-boot" | "earlier-boot";
  readonly filesWereSetBack: boolean;
}

/** It lies on the disk, so it outlives restarts and is captured into images. */
function viewSentinel(request: SentinelRequest, answer: PathAnswer | undefined): Sentinel {
  const { moment } = request;
  const wasAbsent = absentIn(moment);
  if (answer?.kind === "absent") moment.remember["sentinel"] = `absent ${moment.boot.id}`;
  else if (wasAbsent !== undefined) moment.remember["sentinel"] = `absent ${wasAbsent}`;
  if (!isPresent(answer)) {
    return { path: sentinelPath, state: "absent", ofThisBoot: false, because: `${sentinelPath} does not exist` };
  }
  const ofThisBoot = isOfBoot(request, answer);
  if (wasAbsent !== undefined)
    return {
      path: sentinelPath,
      state: "counts",
      ofThisBoot,
      because: `${sentinelPath} was written while this machine was watched`,
    };
  const doubt = doubtOfSentinel(request, answer);
  if (doubt !== "")
    return { path: sentinelPath, state: "stale", ofThisBoot, because: `${sentinelPath} does not count: ${doubt}` };
  return {
    path: sentinelPath,
    state: "counts",
    ofThisBoot,
    because: `${sentinelPath} was written by this machine's own user data`,
  };
}

type Present = PathAnswer & { readonly modifiedMs: number };

function isPresent(answer: PathAnswer | undefined): answer is Present {
  return answer !== undefined && answer.kind !== "absent";
}

function appearedInThisBoot(moment: Moment, answer: PathAnswer | undefined): boolean {
  return isPresent(answer) && absentIn(moment) === moment.boot.id;
}

/** The boot of the newest look of this machine that saw no sentinel; undefined when none did. */
function absentIn({ memory }: Moment): string | undefined {
  const [word, boot] = (memory["sentinel"] ?? "").split(" ");
  return word === "absent" ? (boot ?? "") : undefined;
}

/** A clock that was set back makes the boot seem earlier than a sentinel before it: the files of this boot, of the user data and the log say so, too. */
function isOfBoot({ moment, instance, filesWereSetBack }: SentinelRequest, { modifiedMs }: Present): boolean {
  if (absentIn(moment) === moment.boot.id) return true;
  if (instance.wasSetBack || filesWereSetBack) return false;
  return (
    isSinceBoot(moment, modifiedMs) && modifiedMs >= (instance.bootFileAt ?? Number.NEGATIVE_INFINITY) - sameTimeMs
  );
}

/** Why it does not count; empty when it is of this machine and this bootstrap. */
function doubtOfSentinel(request: SentinelRequest, answer: Present): string {
  const { instance, began, setUpAt, userData } = request;
  const written = answer.modifiedMs;
  const ofThisBoot = isOfBoot(request, answer);
  const ofImage = !ofThisBoot && written < (setUpAt ?? Number.NEGATIVE_INFINITY);
  // What is of this boot is of this machine, also where the clock was set back after the set-up.
  if (ofImage) return "it is older than the set-up of Windows on this VM";
  // Until cloudbase-init has named the instance of this boot, the newest one in the log may be the donor's.
  if (!instance.isNamed && !ofThisBoot)
    return "it is of an earlier boot, and cloudbase-init has not named the instance of this one";
  if (userData === "this-boot" && ofThisBoot) return "";
  if (began !== undefined) {
    return written < began - roundingMs ? "it is older than the user data of this instance" : "";
  }
  return doubtByRegistry(instance);
}

function doubtByRegistry({ id, registered }: CloudbaseInstance): string {
  return id !== "" && registered !== "done" && registered !== "not-told"
    ? `cloudbase-init has not run the user data of instance ${id}`
    : "";
}

function* stageOf(userData: string): Asking<string> {
  return userData === "this-boot" ? yield* kubeadmStage("windows", "user-data") : "cloudbase-init";
}
