import { askAll, askOne, askPaths, changedAt, isThere, type Asking } from "./ask-many.ts";
import { isBetweenClocks, isFarOlder, own, type Origin } from "./certificate-owner.ts";
import {
  areUntold,
  type Identity,
  type InstanceAge,
  type NodeProof,
  type ServiceView,
  type System,
} from "./evidence.ts";
import { isKeptElsewhere, observeHealthz } from "./kubelet-health.ts";
import type { NodeLayout } from "./node-layouts.ts";
import { seenForMs, type Moment } from "./observed.ts";
import { noManager, type CertificateAnswer, type PathAnswer, type ServiceState, type UnitState } from "./questions.ts";

/** An expired certificate counts for good only when it was seen for so long: until then the clock may still be set. */
const lastingMs = 120_000;

export function* observeServices(
  system: System,
  names: readonly string[],
): Asking<Readonly<Record<string, ServiceView>>> {
  if (names.length === 0) return {};
  if (system === "linux") {
    const units = yield* askOne({ ask: "units", names });
    return Object.fromEntries(names.map((name) => [name, viewUnit(name, units?.[name])]));
  }
  const services = yield* askOne({ ask: "services", names });
  return Object.fromEntries(names.map((name) => [name, viewService(name, services?.[name])]));
}

function viewUnit(name: string, unit: UnitState | undefined): ServiceView {
  if (unit === undefined) return { name, state: "not-told", why: "" };
  const why = `result ${unit.result}, exit status ${unit.exitStatus}`;
  const { restarts } = unit;
  return { name, state: stateOfUnit(unit), why, ...(restarts !== undefined && { restarts }) };
}

/** A queued job will change what the unit shows: it waits for its turn, perhaps behind cloud-final.service. */
function stateOfUnit(unit: UnitState): ServiceView["state"] {
  if (unit.load === noManager) return "not-told";
  if (unit.active === "activating") return unit.sub.startsWith("auto-restart") ? "restarting" : "starting";
  if (unit.active === "reloading" || unit.active === "refreshing") return "starting";
  if (unit.active === "active") return "active";
  // It ends, or cleans up behind itself: whether systemd starts it again shows when it has.
  if (unit.active === "deactivating") return "restarting";
  if (unit.job !== undefined && /^(?:start|restart|reload-or-start|verify-active)/u.test(unit.job)) return "starting";
  if (unit.active === "failed") return "failed";
  return unit.load === "not-found" ? "missing" : "inactive";
}

function viewService(name: string, service: ServiceState | undefined): ServiceView {
  if (service === undefined) return { name, state: "not-told", why: "" };
  if (service.kind === "missing") return { name, state: "missing", why: "Missing" };
  const why = service.state.replace(/^[a-z]/u, (letter) => letter.toUpperCase());
  if (service.state === "running") return { name, state: "active", why };
  // nssm shows a program that has ended as paused until it starts it again.
  if (service.state === "paused") return { name, state: "restarting", why };
  return { name, state: service.state.includes("pending") ? "starting" : "inactive", why };
}

export interface NodeRequest {
  readonly moment: Moment;
  readonly layouts: readonly NodeLayout[];
  readonly services: Readonly<Record<string, ServiceView>>;
  readonly origin: Origin;
  /**
   * MicroK8s begins as a cluster of its own. The user data joins it to another one, or gives it, as the first of this one, the keys and ports
   * of this one.
   */
  readonly microk8s?: "joins" | "is-set-up";
}

/** What MicroK8s leaves behind when it has joined: as a worker, as a control plane. */
const microk8sLocks = ["clustered.lock", "no-cert-reissue"].map(
  (name) => `/var/snap/microk8s/current/var/lock/${name}`,
);

export function* observeNodes(request: NodeRequest): Asking<Readonly<Record<string, NodeProof>>> {
  const { layouts } = request;
  const paths = yield* askPaths(
    layouts.flatMap(({ kubeconfig, certificate }) => [kubeconfig, certificate, bootstrapOf(kubeconfig)]),
  );
  const proofs: Record<string, NodeProof> = {};
  for (const layout of layouts) proofs[layout.name] = yield* observeNode(request, layout, paths);
  return proofs;
}

/** Beside kubelet.conf, until the kubelet has its own certificate. */
function bootstrapOf(kubeconfig: string): string {
  return kubeconfig.replace("kubelet.conf", "bootstrap-kubelet.conf");
}

function* observeNode(
  request: NodeRequest,
  layout: NodeLayout,
  paths: ReadonlyMap<string, PathAnswer>,
): Asking<NodeProof> {
  const services = layout.services.flatMap((name) => request.services[name] ?? []);
  const kubeconfigIsThere = isThere(paths, layout.kubeconfig);
  const [answer] = yield* askAll([{ ask: "certificate", path: layout.certificate }]);
  const identity = identify(request, layout, { answer, at: joinedAt(paths, layout) });
  const lacks = layout.name === "microk8s" ? yield* observeMicrok8s(request) : "";
  const mayRun = services.some(({ state }) => state === "active") || areUntold(services);
  const word = folderWord(layout, kubeconfigIsThere, identity);
  const isElsewhere = mayRun && (yield* isKeptElsewhere(layout, { since: request.origin.since, word }));
  return {
    kubeconfig: layout.kubeconfig,
    kubeconfigIsThere,
    mayBootstrap: isThere(paths, bootstrapOf(layout.kubeconfig)),
    kubeconfigAge: ageInInstance(request, changedAt(paths, layout.kubeconfig)),
    certificate: layout.certificate,
    identity,
    services,
    ...(lacks !== "" && { lacks }),
    ...(isElsewhere && { isElsewhere }),
    ...(identity.kind === "foreign" && { unitAge: yield* observeUnitAge(request, layout) }),
    healthz: mayRun && (kubeconfigIsThere || isElsewhere) ? yield* observeHealthz(layout) : "not-told",
  };
}

/** As the configuration would name a folder of the user's choice for what is not in its usual place; k0s' kubelet may have one of its own. */
function folderWord({ name }: NodeLayout, kubeconfigIsThere: boolean, { kind }: Identity): string | undefined {
  if (!kubeconfigIsThere) return "data-dir";
  return name === "k0s" && kind === "absent" ? "kubelet-root-dir" : undefined;
}

/**
 * When the node got its identity: kubeconfig and certificate are written together. A certificate that is newer alone was renewed, and a clone's
 * kubelet renews its donor's as well.
 */
function joinedAt(paths: ReadonlyMap<string, PathAnswer>, layout: NodeLayout): number | undefined {
  const certificate = changedAt(paths, layout.certificate);
  const kubeconfig = changedAt(paths, layout.kubeconfig);
  return certificate === undefined || kubeconfig === undefined ? certificate : Math.min(certificate, kubeconfig);
}

function* observeUnitAge(request: NodeRequest, { units = [] }: NodeLayout): Asking<InstanceAge> {
  const seen = yield* askPaths(units);
  // A copy may keep the time of its content: when the file itself came to be is what counts.
  const times = [...seen.values()].flatMap((file) => (file.kind === "absent" ? [] : file.changedMs));
  return ageInInstance(request, times.length === 0 ? undefined : Math.max(...times));
}

function ageInInstance({ moment, origin }: NodeRequest, at: number | undefined): InstanceAge {
  const { since, slackMs = 0, clockWentBack } = origin;
  if (since === undefined || at === undefined) return "not-told";
  if (isBetweenClocks(moment, origin, at)) return "old";
  if (at > since) return "new";
  return clockWentBack || at >= since - slackMs ? "not-told" : "old";
}

function* observeMicrok8s({ microk8s, origin: { since, clockWentBack } }: NodeRequest): Asking<string> {
  if (microk8s === undefined) return "";
  if (microk8s === "is-set-up") return "MicroK8s is a cluster of its own until the user data has ended";
  const seen = yield* askPaths(microk8sLocks);
  const oldest = clockWentBack ? 0 : (since ?? 0);
  if (microk8sLocks.some((path) => (changedAt(seen, path) ?? Number.NEGATIVE_INFINITY) > oldest)) return "";
  return `MicroK8s is a cluster of its own and has joined no other: neither ${microk8sLocks.join(" nor ")} exists`;
}

function identify(
  { moment, origin }: NodeRequest,
  layout: NodeLayout,
  seen: { readonly answer: CertificateAnswer | undefined; readonly at: number | undefined },
): Identity {
  const { answer, at } = seen;
  // A disk that was mounted after the first look, and a renewal, show another certificate, too: those are as old as the node.
  const isNew = isNewSinceFirstLook(moment, layout, answer) && !isFarOlder(moment, origin, at);
  if (answer === undefined || answer.kind === "absent") return { kind: "absent" };
  if (answer.kind === "unreadable") return { kind: "unreadable" };
  const prefix = "system:node:";
  const name = answer.commonName.startsWith(prefix) ? answer.commonName.slice(prefix.length) : undefined;
  const owner = name === undefined ? ownerOfNameless(layout, answer) : own({ moment, origin, name, at, isNew });
  if (owner.kind === "foreign" || answer.notAfterMs > moment.wallMs) return owner;
  const since = seenForMs(moment, "expired", layout.certificate);
  const why = `${layout.certificate} expired at ${new Date(answer.notAfterMs).toISOString().slice(0, 19)}Z`;
  return { kind: "expired", why, lasting: since >= lastingMs };
}

function ownerOfNameless({ sharesCertificate }: NodeLayout, { commonName }: { readonly commonName: string }): Identity {
  return sharesCertificate === true
    ? { kind: "shared" }
    : { kind: "foreign", why: `names no node, but "${commonName}"`, sure: false };
}

/** Is this another certificate than the one (or none) that this machine's first look saw? Then this machine made it, whatever the clock says. */
function isNewSinceFirstLook(moment: Moment, layout: NodeLayout, answer: CertificateAnswer | undefined): boolean {
  const key = `first ${layout.name}`;
  const mark = markOf(answer);
  const first = moment.memory[key] ?? mark;
  if (first !== undefined) moment.remember[key] = first;
  return first !== undefined && mark !== undefined && first !== mark;
}

function markOf(answer: CertificateAnswer | undefined): string | undefined {
  if (answer === undefined || answer.kind === "unreadable") return undefined;
  return answer.kind === "absent" ? "absent" : `${answer.notBeforeMs}`;
}
