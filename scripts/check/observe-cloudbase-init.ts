import { askOne, type Asking } from "./ask-many.ts";
import { isRunOfThisBoot, observeBootMarks, wasSetBack } from "./cloudbase-init-boot.ts";
import { endsWell, isRestartCode, type CloudbaseLog, type CloudbaseRun } from "./cloudbase-init-log.ts";
import {
  kubeadmOf,
  runsOfUserData,
  summaryOf,
  userDataTime,
  wentBadly,
  type UserDataTime,
} from "./cloudbase-init-runs.ts";
import { findLog, readLog } from "./cloudbase-init-log-file.ts";
import type { KubeadmOutcome, Provisioning } from "./evidence.ts";
import { bootAt, type Moment } from "./observed.ts";
import type { ServiceState } from "./questions.ts";

const registry = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
/** A service that starts by itself shows as stopped until Windows comes to it. */
export const startsWithinMs = 600_000;

export interface CloudbaseInitSeen {
  readonly provisioning: Provisioning;
  readonly kubeadm: KubeadmOutcome;
  readonly instance: CloudbaseInstance;
}

/** What is known of the instance whose user data this is, for whoever asks whether a file is its own. */
export interface CloudbaseInstance {
  /** Has cloudbase-init named it in this boot, so that it is known to be still the same? */
  readonly isNamed: boolean;
  readonly id: string;
  /** When its user data was first begun; undefined when no log line says. */
  readonly userDataTime?: UserDataTime;
  /** Its user data was begun once only, in the newest run: the newest line's time zone is that of its beginning, too. */
  readonly ranOnce: boolean;
  /** Its user data came to its end, and there was no command in it. */
  readonly ranNothing: boolean;
  /** By the plugin registry: its user data has run, or will run again. */
  readonly registered: "done" | "again" | "not-run" | "not-told";
  /** The plugin registry knows several, and no line of the log is left that would say which one is this machine's: some were a donor's. */
  readonly isOneOfSeveral: boolean;
  readonly serviceIsThere: boolean;
  /** When this boot began at the earliest, by the present clock and by the newest file that Windows makes at every boot. */
  readonly bootedAt: number;
  /** The newest of those files; undefined where there is none. */
  readonly bootFileAt?: number;
  /** The clock or the time zone was set back while the log was written: its times compare nothing. */
  readonly clockWentBack: boolean;
  /** The log begins in mid-run: the user data may have been begun earlier than any line of it says. */
  readonly logLacksBeginning: boolean;
  /** The clock itself was: the log was last written before it was made. */
  readonly wasSetBack: boolean;
}

/** `filesAlone`: neither service nor registry is asked, so that no program is started; both are then not told. */
export function* observeCloudbaseInit(
  moment: Moment,
  { filesAlone }: { readonly filesAlone: boolean },
): Asking<CloudbaseInitSeen> {
  const services = filesAlone ? undefined : yield* askOne({ ask: "services", names: ["cloudbase-init"] });
  const service = services?.["cloudbase-init"];
  const path = yield* findLog();
  const file = yield* askOne({ ask: "path", path });
  const log = yield* readLog(path);
  const { marks: bootMarks, bootFileAt } = yield* observeBootMarks(moment);
  const newest = log.runs.at(-1);
  const isSure = newest !== undefined && isRunOfThisBoot({ moment, newest, lastAt: log.lastAt, file, bootMarks });
  const inThisBoot = isSure || hasRunInThisBoot(moment, service);
  const run = inThisBoot ? newest : undefined;
  const { id, registered, isOneOfSeveral } = yield* observeInstance(log.runs, {
    mayAsk: !filesAlone,
    isAtWork: isAtWork(service, run),
  });
  const executed = runsOfUserData(log.runs, id);
  const instance: CloudbaseInstance = {
    isNamed: isSure && newest.instance !== "",
    id,
    ...timeOf(userDataTime({ log, executed, file })),
    clockWentBack: log.clockWentBack,
    logLacksBeginning: log.lacksBeginning,
    wasSetBack: wasSetBack(file),
    ...summaryOf(executed, newest),
    registered,
    isOneOfSeveral,
    serviceIsThere: service?.kind === "service",
    bootedAt: Math.min(bootAt(moment), bootFileAt ?? Number.POSITIVE_INFINITY),
    ...(bootFileAt !== undefined && { bootFileAt }),
  };
  const state = stateOf({ moment, service, run });
  return {
    provisioning: { ...provisioningOf({ log, run, instance, state }), isOfEarlierBoot: run !== undefined && !isSure },
    kubeadm: kubeadmOf(run, executed),
    instance,
  };
}

function timeOf(time: UserDataTime | undefined): Pick<CloudbaseInstance, "userDataTime"> {
  return time === undefined ? {} : { userDataTime: time };
}

/** The log names the instance when it has debug lines; else the plugin registry does, if it knows only one. */
function* observeInstance(
  runs: readonly CloudbaseRun[],
  { mayAsk, isAtWork }: { readonly mayAsk: boolean; readonly isAtWork: boolean },
): Asking<Pick<CloudbaseInstance, "id" | "registered" | "isOneOfSeveral">> {
  const named = runs.findLast(({ instance }) => instance !== "")?.instance;
  const known = named === undefined && mayAsk ? yield* findInstances() : [];
  const id = named ?? (known.length === 1 ? (known[0] ?? "") : "");
  const registered = mayAsk && !isAtWork ? yield* readRegistry(id) : "not-told";
  return { id, registered, isOneOfSeveral: runs.length === 0 && known.length > 1 };
}

function* findInstances(): Asking<readonly string[]> {
  const answer = yield* askOne({ ask: "registry", key: registry });
  return answer?.kind === "values" ? answer.subkeys : [];
}

function* readRegistry(id: string): Asking<CloudbaseInstance["registered"]> {
  if (id === "") return "not-told";
  const answer = yield* askOne({ ask: "registry", key: `${registry}\\${id}\\Plugins` });
  if (answer === undefined) return "not-told";
  const state = answer.kind === "values" ? answer.values["UserDataPlugin"] : undefined;
  if (state === "1") return "done";
  return state === "2" ? "again" : "not-run";
}

function stateOf(seen: {
  readonly moment: Moment;
  readonly service: ServiceState | undefined;
  readonly run: CloudbaseRun | undefined;
}): Provisioning["state"] {
  const { moment, service, run } = seen;
  const runs = service?.kind === "service" && /^(?:running|start-pending)$/u.test(service.state);
  if (run === undefined) return runs || mayBegin(moment, service) ? "pending" : "stopped";
  if (run.end !== "done") return runs ? "running" : "stopped";
  return knewNoUserData(run) && mayBegin(moment, service) ? "pending" : "finished";
}

/** Its run in sysprep's specialise pass has no plugin for user data: where it shares the log of the service, that one's run is still to come. */
function knewNoUserData({ userData, trouble, failure }: CloudbaseRun): boolean {
  return userData === "not-reached" && trouble === "" && failure === "";
}

/** While it executes the user data the plugin registry has no news: what came of it is written there afterwards. */
function isAtWork(service: ServiceState | undefined, run: CloudbaseRun | undefined): boolean {
  return (
    service?.kind === "service" && service.state === "running" && run?.userData === "executed" && run.end === "none"
  );
}

/** It starts at every boot and ends by itself: long after the boot, a service that has ended has had its run. */
function hasRunInThisBoot({ boot }: Moment, service: ServiceState | undefined): boolean {
  if (service?.kind !== "service" || service.start !== "automatic" || service.state !== "stopped") return false;
  return boot.uptimeMs >= startsWithinMs;
}

function mayBegin(moment: Moment, service: ServiceState | undefined): boolean {
  return service?.kind === "service" && service.start !== "disabled" && isYoung(moment);
}

function isYoung({ boot }: Moment): boolean {
  return boot.uptimeMs < startsWithinMs;
}

function provisioningOf(seen: {
  readonly log: CloudbaseLog;
  readonly run: CloudbaseRun | undefined;
  readonly instance: CloudbaseInstance;
  readonly state: Provisioning["state"];
}): Provisioning {
  const { log, run, instance, state } = seen;
  const executed = runsOfUserData(log.runs, instance.id);
  const earlier = executed.at(-1);
  const userData = userDataOf(run, earlier, instance);
  const source = run?.userData === "executed" ? run : earlier;
  const trouble = troubleOf(run, source, state);
  const holdsCommands = state === "finished" ? commandsOf({ source, userData, trouble }) : undefined;
  const restart = run === undefined ? undefined : restartWords(run, instance);
  return {
    agent: "cloudbase-init",
    state,
    stage: stages[state],
    userData,
    ...(holdsCommands !== undefined && { holdsCommands }),
    ...earlierErrorOf(run, earlier),
    ...(trouble !== "" && { scriptError: `cloudbase-init.log says: ${trouble}` }),
    ...(restart !== undefined && { restartWanted: restart }),
    ...(state === "finished" && run?.userData === "not-reached" && { foundNoData: true }),
    ...(executed.some((one) => wentBadly(one, log.runs.at(-1))) && { hadBadRun: true }),
  };
}

function earlierErrorOf(
  run: CloudbaseRun | undefined,
  earlier: CloudbaseRun | undefined,
): Pick<Provisioning, "earlierError"> {
  if (earlier === undefined || earlier === run || earlier.failure === "") return {};
  return { earlierError: `cloudbase-init.log says: ${earlier.failure}` };
}

const stages: Readonly<Record<Provisioning["state"], string>> = {
  absent: "cloudbase-init",
  pending: "waiting-for-cloudbase-init",
  running: "cloudbase-init",
  stopped: "cloudbase-init",
  finished: "cloudbase-init-finished",
};

function userDataOf(
  run: CloudbaseRun | undefined,
  earlier: CloudbaseRun | undefined,
  { registered }: CloudbaseInstance,
): Provisioning["userData"] {
  if (run?.userData === "executed") return "this-boot";
  return earlier !== undefined || registered === "done" ? "earlier-boot" : "never";
}

/** A failure of this boot. What kept user data from running counts when cloudbase-init has come to its end, and in later boots, too. */
function troubleOf(
  run: CloudbaseRun | undefined,
  source: CloudbaseRun | undefined,
  state: Provisioning["state"],
): string {
  if (run !== undefined && run.failure !== "") return run.failure;
  if (run === undefined || state !== "finished") return "";
  return run.trouble === "" ? (source?.trouble ?? "") : run.trouble;
}

/** Were any commands run? Not told where a part could not be, or no line of the log tells of the run. */
function commandsOf(seen: {
  readonly source: CloudbaseRun | undefined;
  readonly userData: Provisioning["userData"];
  readonly trouble: string;
}): boolean | undefined {
  const { source, userData, trouble } = seen;
  if (source?.ranCommands === true) return true;
  return (source === undefined && userData !== "never") || trouble !== "" ? undefined : false;
}

/** A restart asked for by a return code, by the user's own commands, or by another plugin. */
function restartWords(run: CloudbaseRun, instance: CloudbaseInstance): string | undefined {
  if (run.end === "rebooting") return "cloudbase-init.log says: Rebooting";
  const { returnCode } = run;
  if (returnCode !== undefined && isRestartCode(returnCode)) {
    return `the user data was ended by a restart of its own (return code ${returnCode >>> 0})`;
  }
  if (instance.registered === "again") return "cloudbase-init runs the user data again at the next boot";
  const asked =
    returnCode !== undefined && returnCode !== 0 && endsWell(returnCode) && instance.registered === "not-told";
  return asked ? `the user data asked for a restart (return code ${returnCode})` : undefined;
}
