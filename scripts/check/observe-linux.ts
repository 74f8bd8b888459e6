import { askOne, askPaths, changedAt, isThere, type Asking } from "./ask-many.ts";
import type { Origin } from "./certificate-owner.ts";
import { readEarlierOutput, readOutputLog, type InstanceRun, type LoggedOutcome } from "./cloud-init.ts";
import type { Evidence, Provisioning, Sentinel } from "./evidence.ts";
import type { Observed } from "./look-parts.ts";
import { layoutsOfAll } from "./node-layouts.ts";
import { isOfThisBoot, type Moment } from "./observed.ts";
import { observeCloudInit, type CloudInitSeen } from "./observe-cloud-init.ts";
import { observeNodes, observeServices } from "./observe-nodes.ts";
import { kubeadmRuns, ofUnits, runningNow } from "./processes.ts";
import { observeTraces, type Traces } from "./providers.ts";
import { finalStage } from "./stages.ts";
import { sentinelDecides } from "./trust.ts";

const sentinelPath = "/run/cluster-api/bootstrap-success.complete";
const outputLog = "/var/log/cloud-init-output.log";
const finalUnit = "cloud-final.service";
/** Since cloud-init 24.3 one process runs all stages, and with them the user's scripts, in a unit of its own. */
const scriptUnits = ["cloud-init-main.service", finalUnit];
/** So long after the boot every stage but the last one is over. */
const earlyStagesMs = 60_000;
/** Written when the guest agent sets this machine up, and where it does not provision at each of its starts: only what is newer is dated by it. */
const provisioned = "/var/lib/waagent/provisioned";
const ignited = "/etc/.ignition-result.json";

export function* observeLinux(moment: Moment, setting: string): Asking<Observed> {
  const sentinel = yield* observeSentinel(moment);
  const cloudInit = yield* observeCloudInit(moment);
  const { provisioning } = cloudInit;
  const marks = yield* askPaths([provisioned, ignited]);
  const since = cloudInit.instanceSince ?? changedAt(marks, provisioned);
  const tracesSince = since ?? changedAt(marks, ignited);
  const traces = yield* observeTraces({
    system: "linux",
    setting,
    provisioning,
    runIsMemory: moment.boot.runIsMemory === true,
    ...(tracesSince !== undefined && { instanceSince: tracesSince }),
  });
  const providers = traces.providers.length > 0 ? traces.providers : plainProviders(provisioning);
  const common = { moment, setting, sentinel, provisioning, traces, providers };
  const counts = sentinel.state === "counts";
  const providersAreSure = traces.areSure;
  if (counts && sentinelDecides("linux", providers)) {
    return { evidence: evidenceOf(common, {}), providers, providersAreSure };
  }
  const all = { ...common, cloudInit, origin: originOf(cloudInit, since, counts) };
  const mustWait = provisioning.state === "pending" || provisioning.state === "running";
  return mustWait && !counts ? yield* observeRunning(all) : yield* observeAll(all);
}

/** Where nothing dates the instance, a node of another name than its host's is no clone for certain: it may be named by its configuration. */
function originOf(cloudInit: CloudInitSeen, since: number | undefined, sentinelCounts: boolean): Origin {
  const { instanceSince, clockWentBack, provisioning } = cloudInit;
  const ranInThisBoot = provisioning.userData === "this-boot";
  const isWiped = wereRecordsWiped(cloudInit);
  const isOfAnEarlierClock = clockWentBack && !ranInThisBoot;
  const onlySentinelTells = sentinelCounts && isAllElseGone(cloudInit);
  return {
    ...(since !== undefined && { since }),
    slackMs: instanceSince === undefined ? Number.POSITIVE_INFINITY : 0,
    clockWentBack,
    newerTells: true,
    beganInThisBoot: ranInThisBoot,
    orderIsSure: isOrderSure(cloudInit),
    bootTells: since === undefined,
    nameTells: false,
    bootstraps: provisioning.holdsCommands === true || provisioning.state === "running" || isWiped || onlySentinelTells,
    nameProves: isOfAnEarlierClock || onlySentinelTells ? "of-this-boot" : whenUndated(clockWentBack || isWiped),
  };
}

/** Not by marks that were made after the records were wiped. */
function isOrderSure(cloudInit: CloudInitSeen): boolean {
  const { provisioning, clockWentBack } = cloudInit;
  return provisioning.userData !== "earlier-boot" && !clockWentBack && !wereRecordsWiped(cloudInit);
}

/** Of a bootstrap of this boot nothing but the sentinel is left: a certificate of an earlier boot is not what it made, whatever its name. */
function isAllElseGone({ hasInstance, provisioning }: CloudInitSeen): boolean {
  const { holdsCommands, state } = provisioning;
  return !hasInstance && (holdsCommands === undefined || state === "pending");
}

function whenUndated(isDoubtful: boolean): Origin["nameProves"] {
  return isDoubtful ? "unless-failed" : "always";
}

/** cloud-init had data and has ended, and what it keeps of its instance is gone: whether that data bootstraps, nobody says any more. */
function wereRecordsWiped({ provisioning, hasInstance, dataIsGone }: CloudInitSeen): boolean {
  const { state, holdsCommands, foundNoData } = provisioning;
  const isGone = !hasInstance || dataIsGone;
  return state === "finished" && foundNoData !== true && holdsCommands === undefined && isGone;
}

interface Common {
  readonly moment: Moment;
  readonly setting: string;
  readonly sentinel: Sentinel;
  readonly provisioning: Provisioning;
  readonly traces: Traces;
  readonly providers: readonly string[];
}

/** No trace of a provider: then what cloud-init was given tells whether anything bootstraps at all. */
function plainProviders({ state, holdsCommands }: Provisioning): readonly string[] {
  if (state !== "finished") return [];
  return [holdsCommands === false ? "none" : "custom"];
}

function* observeSentinel(moment: Moment): Asking<Sentinel> {
  const answer = yield* askOne({ ask: "path", path: sentinelPath });
  if (answer === undefined || answer.kind === "absent") {
    return { path: sentinelPath, state: "absent", ofThisBoot: false, because: `${sentinelPath} does not exist` };
  }
  if (isOfThisBoot(moment, sentinelPath, answer)) {
    return {
      path: sentinelPath,
      state: "counts",
      ofThisBoot: true,
      because: `${sentinelPath} was written in this boot`,
    };
  }
  return {
    path: sentinelPath,
    state: "stale",
    ofThisBoot: false,
    because: `${sentinelPath} is older than this boot and does not count`,
  };
}

/**
 * While the final stage has processes, systemd has nothing to add: that saves a program in the usual waiting look. Only on a
 * machine that has a node's files may the node already be the proof: a command after the join can take for ever.
 */
function* observeRunning(common: All): Asking<Observed> {
  const { provisioning } = common;
  const isFinal = provisioning.stage === "cloud-init-final";
  const processes = isFinal ? yield* ofUnits(scriptUnits) : undefined;
  const mayHaveFailed = isFinal ? processes?.any !== true : common.moment.boot.uptimeMs > earlyStagesMs;
  const final = yield* observeServices("linux", mayHaveFailed ? [finalUnit] : []);
  const hasFailed = Object.values(final).some(({ state }) => state === "failed");
  const running = yield* runningNow(processes, hasFailed ? common.cloudInit.statusAgeMs : undefined);
  const mayBeNode = hasFailed || (isFinal && (yield* hasNodeFiles(common.providers)));
  const node = mayBeNode ? yield* observeNode(common) : undefined;
  const stage = running.length > 0 ? yield* finalStage(running) : provisioning.stage;
  return {
    evidence: evidenceOf(common, {
      ...node,
      services: { ...node?.services, ...final },
      running,
      provisioning: { ...provisioning, stage },
      kubeadm: { ...noKubeadm(common), runs: running.some((words) => words.startsWith("kubeadm (")) },
    }),
    providers: common.providers,
  };
}

function* hasNodeFiles(providers: readonly string[]): Asking<boolean> {
  const layouts = layoutsOfAll("linux", [...providers, "none"]);
  const seen = yield* askPaths(layouts.flatMap(({ kubeconfig, certificate }) => [kubeconfig, certificate]));
  return layouts.some(({ kubeconfig, certificate }) => isThere(seen, kubeconfig) && isThere(seen, certificate));
}

type All = Common & { readonly cloudInit: CloudInitSeen; readonly origin: Origin };

function* observeAll(common: All): Asking<Observed> {
  const { providers, traces } = common;
  const { services, nodes } = yield* observeNode(common);
  const runs = yield* kubeadmRuns();
  const left = yield* ofUnits(providers.includes("kubeadm-ignition") ? ["kubeadm.service"] : scriptUnits);
  const { outcome, isOwn } = yield* observeOutcome(providers, common.cloudInit);
  const controllerRuns =
    services["k0scontroller.service"]?.state === "active" && !traces.givesKubelet && (yield* apiServerRuns());
  return {
    evidence: evidenceOf(common, {
      services,
      nodes,
      running: left?.busyWith ?? [],
      controllerRuns,
      kubeadm: {
        runs,
        outcome,
        outcomeIsOwn: isOwn,
        role: traces.role,
        mayBeControlPlane: traces.mayBeControlPlane,
        isUnfinished: yield* isUnfinished(traces),
        promisesSentinel: traces.promisesSentinel,
      },
    }),
    providers,
  };
}

function* observeNode(common: All): Asking<Pick<Evidence, "services" | "nodes">> {
  const { moment, origin, provisioning, providers, traces } = common;
  // A machine may be a node by other means than those of its bootstrap provider.
  const layouts = layoutsOfAll("linux", [...providers, "none", ...traces.others]);
  const more = providers.includes("kubeadm-ignition") ? ["kubeadm.service"] : [];
  // The boot waits for an image's own services, of which nothing else tells.
  if (provisioning.state === "finished" && provisioning.holdsCommands !== true) more.push("multi-user.target");
  const services = yield* observeServices("linux", [
    ...new Set([...layouts.flatMap((layout) => layout.services), ...more]),
  ]);
  const nodes = yield* observeNodes({ moment, layouts, services, origin, joinsMicrok8s: traces.joinsMicrok8s });
  return { services, nodes };
}

/** kubeadm init puts a certificate into kubelet.conf, and one of its last phases takes it out again. */
function* isUnfinished({ role }: Traces): Asking<boolean> {
  if (role !== "control-plane") return false;
  const words = ["client-certificate-data"];
  const answer = yield* askOne({ ask: "mentions", path: "/etc/kubernetes/kubelet.conf", words });
  return answer?.kind === "mentions" && answer.words.length > 0;
}

/** k0s starts the parts of a control plane as processes of its own. */
function* apiServerRuns(): Asking<boolean> {
  const processes = yield* ofUnits(["k0scontroller.service"]);
  return processes?.busyWith.some((words) => words.startsWith("kube-apiserver ")) === true;
}

function* observeOutcome(
  providers: readonly string[],
  { provisioning, instanceSince, commandsSince }: CloudInitSeen,
): Asking<LoggedOutcome> {
  const unknown: LoggedOutcome = { outcome: { kind: "unknown" }, isOwn: false };
  if (!providers.some((name) => name === "kubeadm" || name === "custom")) return unknown;
  const log = yield* askOne({ ask: "log", path: outputLog });
  const text = log?.kind === "text" ? log.text : "";
  if (provisioning.userData !== "earlier-boot") return text === "" ? unknown : readOutputLog(text);
  const isDated = instanceSince !== undefined && commandsSince !== undefined;
  const own = isDated ? { since: instanceSince, until: commandsSince } : undefined;
  const found = readEarlierOutput(text, own);
  const mayBeRotated = own !== undefined && !found.isOwn && log !== undefined;
  return mayBeRotated ? yield* observeRotated({ own, text, found }) : found;
}

/** The user's commands ran before the log was rotated: what it was until then counts only where it dates their run. */
function* observeRotated(seen: {
  readonly own: InstanceRun;
  readonly text: string;
  readonly found: LoggedOutcome;
}): Asking<LoggedOutcome> {
  const { own, text, found } = seen;
  const rotated = yield* askOne({ ask: "log", path: `${outputLog}.1` });
  const whole = rotated?.kind === "text" ? readEarlierOutput(`${rotated.text}\n${text}`, own) : found;
  return whole.isOwn ? whole : found;
}

function noKubeadm({ traces }: Common): Evidence["kubeadm"] {
  const { role, mayBeControlPlane, promisesSentinel } = traces;
  const outcome = { kind: "unknown" } as const;
  return {
    runs: false,
    outcome,
    outcomeIsOwn: false,
    role,
    mayBeControlPlane,
    isUnfinished: false,
    promisesSentinel,
  };
}

function evidenceOf(common: Common, more: Partial<Evidence>): Evidence {
  const { moment, setting, sentinel, provisioning, traces } = common;
  return {
    system: "linux",
    setting,
    boot: moment.boot,
    machine: moment.machine,
    provisioning,
    sentinel,
    kubeadm: noKubeadm(common),
    nodes: {},
    services: {},
    running: [],
    controllerRuns: false,
    kubeadmConfigWaits: traces.kubeadmConfigWaits,
    ...more,
  };
}
