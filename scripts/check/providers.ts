import { askAll, askOne, askPaths, changedAt, isThere, type Asking } from "./ask-many.ts";
import { scriptFolder, userScripts } from "./cloud-init.ts";
import type { Provisioning, System } from "./evidence.ts";

/**
 * Which bootstrap providers have left traces. A trace is what a provider's bootstrap data leaves behind, never a program:
 * images carry kubeadm and the kubelet anyway.
 */
export interface Traces {
  readonly providers: readonly string[];
  /** The setting or the user data names them, or every question about a trace had an answer. */
  readonly areSure: boolean;
  /** Whose services may go on beside: of providers with new traces, or of any where the user data names none. */
  readonly others: readonly string[];
  readonly role: "control-plane" | "worker" | "unknown";
  readonly mayBeControlPlane: boolean;
  readonly namesKubeadm: boolean;
  readonly promisesSentinel: boolean;
  /** MicroK8s: the user data joins a cluster, so that a cluster of its own is not the end. */
  readonly joinsMicrok8s: boolean;
  /** k0s: the user data gives a controller a kubelet, too. */
  readonly givesKubelet: boolean;
  readonly kubeadmConfigWaits: boolean;
}

const linuxTraces: Readonly<Record<string, readonly string[]>> = {
  "kubeadm-ignition": ["/etc/kubeadm.sh", "/etc/kubeadm.yml", "/etc/systemd/system/kubeadm.service"],
  kubeadm: ["/run/kubeadm/kubeadm.yaml", "/run/kubeadm/kubeadm-join-config.yaml", "/var/lib/kubelet/kubeadm-flags.env"],
  rke2: ["/etc/rancher/rke2/config.yaml", "/var/lib/rancher/rke2/agent"],
  k3s: [
    ...["/etc/rancher/k3s/config.yaml", "/var/lib/rancher/k3s/agent"],
    ...["/etc/systemd/system/k3s.service", "/etc/systemd/system/k3s-agent.service"],
  ],
  k0s: [
    ...["/etc/k0s.yaml", "/etc/k0s.token", "/var/lib/k0s/kubelet"],
    ...["/etc/systemd/system/k0sworker.service", "/etc/systemd/system/k0scontroller.service"],
  ],
  microk8s: ["/capi-scripts", "/var/snap/microk8s/current"],
  "canonical-kubernetes": ["/capi/scripts", "/var/snap/k8s/common"],
};

const windowsTraces: Readonly<Record<string, readonly string[]>> = {
  kubeadm: ["C:\\run\\kubeadm\\kubeadm.yaml", "C:\\run\\kubeadm\\kubeadm-join-config.yaml"],
  k0s: ["C:\\bootstrap\\k0s_install.ps1", "C:\\var\\lib\\k0s"],
};

/** What only a control plane has. */
const controlPlaneTraces = [
  "/run/kubeadm/kubeadm.yaml",
  "/etc/kubernetes/manifests/kube-apiserver.yaml",
  "/etc/kubernetes/manifests/etcd.yaml",
];

/** Words of user data by which its provider is known, when nothing else of it is left after a restart. */
const userDataWords: Readonly<Record<string, string>> = {
  "kubeadm init": "kubeadm",
  "kubeadm join": "kubeadm",
  "kubeadm-bootstrap-script.sh": "kubeadm",
  "rke2-server.service": "rke2",
  "rke2-agent.service": "rke2",
  "get.k3s.io": "k3s",
  "k0s install": "k0s",
  "/capi-scripts/": "microk8s",
  "/capi/scripts/": "canonical-kubernetes",
};
const mostScripts = 16;
const sentinelWords = "bootstrap-success.complete";
const joinWords = "microk8s-join";
const workerWords = ["--enable-worker", "--single"];

export interface TraceRequest {
  readonly system: System;
  readonly setting: string;
  readonly provisioning: Provisioning;
  /** /run is a memory file system, so what lies in it is of this boot. */
  readonly runIsMemory: boolean;
  /** Traces older than this are of another instance: left over in the image, or a donor's. */
  readonly instanceSince?: number;
}

export function* observeTraces(request: TraceRequest): Asking<Traces> {
  const known = request.system === "linux" ? linuxTraces : windowsTraces;
  const seen = yield* askPaths([...new Set([...Object.values(known).flat(), ...controlPlaneTraces])]);
  const told = yield* observeWords(request);
  const words = told ?? [];
  const named = request.setting !== "auto" && request.setting !== "";
  const isFresh = (path: string): boolean =>
    isThere(seen, path) &&
    ((request.runIsMemory && path.startsWith("/run/")) || (changedAt(seen, path) ?? 0) >= (request.instanceSince ?? 0));
  const found = Object.entries(known).filter(([, paths]) => paths.some((path) => isThere(seen, path)));
  const fresh = found.filter(([, paths]) => paths.some(isFresh)).map(([name]) => name);
  const spoken = words.flatMap((word) => userDataWords[word] ?? []);
  // User data that runs commands, and none of a known provider's, is what bootstraps, whatever lies about.
  const old = request.provisioning.holdsCommands === true ? [] : found.map(([name]) => name);
  const chosen = choose({ fresh, spoken, old }, request.provisioning.state);
  return {
    providers: named ? [request.setting] : chosen,
    areSure:
      named ||
      spoken.length > 0 ||
      (told !== undefined &&
        Object.values(known)
          .flat()
          .every((path) => seen.has(path))),
    others: chosen.length === 0 || spoken.length === 0 ? found.map(([name]) => name) : fresh,
    role: roleOf(isFresh),
    mayBeControlPlane: controlPlaneTraces.some((path) => isThere(seen, path)),
    namesKubeadm: spoken.includes("kubeadm"),
    promisesSentinel: words.includes(sentinelWords),
    joinsMicrok8s: !words.includes("/capi-scripts/") || words.includes(joinWords),
    givesKubelet: workerWords.some((word) => words.includes(word)),
    kubeadmConfigWaits: isThere(seen, "/etc/kubeadm.yml"),
  };

  function roleOf(has: (path: string) => boolean): Traces["role"] {
    // The user data's own word needs no clock.
    const saysInit = words.includes("kubeadm init") && !words.includes("kubeadm join");
    if (saysInit || controlPlaneTraces.some(has)) return "control-plane";
    return has("/run/kubeadm/kubeadm-join-config.yaml") ? "worker" : "unknown";
  }
}

/** cloud-init turns the user's commands into these scripts; they stay on the disk, and are this instance's. Undefined: not told. */
function* observeWords({ system, provisioning }: TraceRequest): Asking<readonly string[] | undefined> {
  const hasScripts = provisioning.holdsCommands === true || provisioning.stage === "cloud-init-final";
  if (system === "windows" || !hasScripts) return [];
  const words = [...Object.keys(userDataWords), sentinelWords, joinWords, ...workerWords];
  const scripts = yield* askOne({ ask: "names", folder: scriptFolder });
  if (scripts === undefined) return undefined;
  const names = scripts.kind === "names" ? userScripts(scripts.names).slice(0, mostScripts) : [];
  const answers = yield* askAll(names.map((name) => ({ ask: "mentions", path: `${scriptFolder}/${name}`, words })));
  if (answers.includes(undefined)) return undefined;
  return answers.flatMap((answer) => (answer?.kind === "mentions" ? answer.words : []));
}

interface Names {
  readonly fresh: readonly string[];
  readonly spoken: readonly string[];
  readonly old: readonly string[];
}

/**
 * The user data that ran in this instance says best who bootstraps: anybody can drop a file. Without its words the new traces speak,
 * those of Ignition before any other, since Ignition writes before the system starts; old ones only when there is nothing else.
 */
function choose({ fresh, spoken, old }: Names, state: Provisioning["state"]): readonly string[] {
  const byIgnition = state === "absent" && fresh.includes("kubeadm-ignition") ? ["kubeadm-ignition"] : [];
  const ran = state === "running" || state === "finished" ? spoken : [];
  const [first] = [ran, byIgnition, fresh, spoken, old].filter((list) => list.length > 0);
  const chosen = [...new Set(first ?? [])];
  return chosen.includes("kubeadm-ignition") ? chosen.filter((name) => name !== "kubeadm") : chosen;
}
