import { askOne, askPaths, changedAt, isThere, type Asking } from "./ask-many.ts";
import type { Origin } from "./certificate-owner.ts";
import type { Evidence, Provisioning, Sentinel } from "./evidence.ts";
import type { Observed } from "./look-parts.ts";
import { installUnits, layoutsOfAll } from "./node-layouts.ts";
import { isOfThisBoot, type Moment } from "./observed.ts";
import { observeCloudInit, type CloudInitSeen } from "./observe-cloud-init.ts";
import { isUnfinished, observeOutcome } from "./observe-kubeadm.ts";
import { observeNodes, observeServices, type NodeRequest } from "./observe-nodes.ts";
import { observePlannedRestart } from "./planned-restart.ts";
import { kubeadmRuns, ofUnits, runningNow } from "./processes.ts";
import { observeTraces, type Traces } from "./providers.ts";
import { finalStage } from "./stages.ts";
import { sentinelDecides } from "./trust.ts";

const sentinelPath = "/run/cluster-api/bootstrap-success.complete";
const finalUnit = "cloud-final.service";
const mainUnit = "cloud-init-main.service";
const bootUnit = "multi-user.target";
/** Since cloud-init 24.3 one process runs all stages, and with them the user's scripts, in a unit of its own. */
const scriptUnits = [mainUnit, finalUnit];
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
  const units = yield* observeServices("linux", mayHaveFailed ? [finalUnit, mainUnit, bootUnit] : []);
  const lastStageLost = lossOf(common.cloudInit, units);
  const running = yield* runningNow(processes, lastStageLost?.statusAgeMs);
  const mayBeNode = lastStageLost !== undefined || (isFinal && (yield* hasNodeFiles(common.providers)));
  const node = mayBeNode ? yield* observeNode(common) : undefined;
  const stage = running.length > 0 ? yield* finalStage(running) : provisioning.stage;
  return {
    evidence: evidenceOf(common, {
      ...node,
      services: { ...node?.services, ...units },
      running,
      provisioning: { ...provisioning, stage, ...(lastStageLost && { lastStageLost: lastStageLost.words }) },
      kubeadm: { ...noKubeadm(common), runs: running.some((words) => words.startsWith("kubeadm (")) },
    }),
    providers: common.providers,
  };
}

/** Between two stages cloud-init writes nothing; where somebody runs them by hand, the next one begins sooner. */
const longestPauseMs = 60_000;

/**
 * The stage that runs the user's scripts has failed, or will not begin in this boot: its job was dropped, or its unit is masked or has a
 * condition that is not met (cloud-init 23.4 asks for /etc/cloud/cloud-init.disabled before each stage). Where the one process of all stages
 * was killed, the unit of the last stage, which only waits for it, ends well.
 */
function lossOf(
  { provisioning, statusAgeMs }: CloudInitSeen,
  units: Evidence["services"],
): { readonly words: string; readonly statusAgeMs: number } | undefined {
  const failed = [finalUnit, mainUnit].flatMap((name) => units[name] ?? []).find(({ state }) => state === "failed");
  if (failed !== undefined) return { words: `${failed.name} failed (${failed.why})`, statusAgeMs };
  const isBetween = provisioning.state === "running" && provisioning.stage === "waiting-for-cloud-init";
  const isSkipped = units[finalUnit]?.state === "inactive" && units[bootUnit]?.state === "active";
  if (!isBetween || !isSkipped || statusAgeMs < longestPauseMs) return undefined;
  // The process that waits for the stage wrote the status, and is nobody's work by hand.
  return {
    words: `${finalUnit} is inactive although the boot is over`,
    statusAgeMs: Number.POSITIVE_INFINITY,
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
  const restart = yield* observePlannedRestart(common.moment);
  const controllerRuns =
    services["k0scontroller.service"]?.state === "active" && !traces.givesKubelet && (yield* apiServerRuns());
  return {
    evidence: evidenceOf(common, {
      services,
      nodes,
      ...(restart !== undefined && { provisioning: { ...common.provisioning, restartWanted: restart } }),
      running: left?.busyWith ?? [],
      controllerRuns,
      kubeadm: {
        runs,
        outcome,
        outcomeIsOwn: isOwn,
        role: traces.role,
        mayBeControlPlane: traces.mayBeControlPlane,
        isUnfinished: yield* isUnfinished(traces),
        namedByScript: traces.namesKubeadm,
        promisesSentinel: traces.promisesSentinel,
      },
    }),
    providers,
  };
}

/** What Ignition wrote to bootstrap the machine with. */
const unitsOfIgnition: readonly (readonly [provider: string, unit: string])[] = [
  ["kubeadm-ignition", "kubeadm.service"],
  ...Object.entries(installUnits),
];

function* observeNode(common: All): Asking<Pick<Evidence, "services" | "nodes">> {
  const { moment, origin, provisioning, providers, traces } = common;
  // A machine may be a node by other means than those of its bootstrap provider.
  const layouts = layoutsOfAll("linux", [...providers, "none", ...traces.others]);
  const more = unitsOfIgnition.flatMap(([provider, unit]) => (providers.includes(provider) ? [unit] : []));
  // The boot waits for services of the image, or of user data that has restarted the machine, of which nothing else tells.
  const mayGoOn = provisioning.holdsCommands !== true || provisioning.userData === "earlier-boot";
  if (provisioning.state === "finished" && mayGoOn) more.push(bootUnit);
  const services = yield* observeServices("linux", [
    ...new Set([...layouts.flatMap((layout) => layout.services), ...more]),
  ]);
  const microk8s = microk8sOf(provisioning, traces);
  const nodes = yield* observeNodes({ moment, layouts, services, origin, ...(microk8s !== undefined && { microk8s }) });
  return { services, nodes };
}

function microk8sOf({ state, userData }: Provisioning, { joinsMicrok8s }: Traces): NodeRequest["microk8s"] {
  if (joinsMicrok8s) return "joins";
  return state === "running" && userData === "this-boot" ? "is-set-up" : undefined;
}

/** k0s starts the parts of a control plane as processes of its own. */
function* apiServerRuns(): Asking<boolean> {
  const processes = yield* ofUnits(["k0scontroller.service"]);
  return processes?.busyWith.some((words) => words.startsWith("kube-apiserver ")) === true;
}

function noKubeadm({ traces }: Common): Evidence["kubeadm"] {
  const { role, mayBeControlPlane, promisesSentinel, namesKubeadm } = traces;
  const outcome = { kind: "unknown" } as const;
  return {
    runs: false,
    outcome,
    outcomeIsOwn: false,
    role,
    mayBeControlPlane,
    isUnfinished: false,
    namedByScript: namesKubeadm,
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
