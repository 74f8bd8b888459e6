import {
  finishBootstrapAlone,
  type IdentityParts,
  issueCertificate,
  joinAs,
  kubeconfig,
  kubeletPath,
  ownApiServer,
  pathOn,
  startKubelet,
  writeKubeletIdentity,
} from "./kubelet.ts";
import type { JoinOutcome } from "./history.ts";
import type { Machine } from "./machine.ts";

/** A part of a script, with its exit code. */
export type Step = Generator<number, number>;

export const forEver = 1e15;

/** Where the script's output goes: a log, in its own form. */
export type Say = (line: string) => void;

export interface KubeadmRun {
  readonly outcome: JoinOutcome;
  readonly unit: string;
  readonly say: Say;
}

/** `kubeadm init` or `kubeadm join`, with its phases in their order and what each leaves on the disk. */
export function* kubeadm(machine: Machine, run: KubeadmRun): Step {
  if (run.outcome === "not-installed") {
    run.say(
      machine.system === "windows"
        ? "'kubeadm' is not recognized as an internal or external command,"
        : "/var/lib/cloud/instance/scripts/runcmd: 5: kubeadm: not found",
    );
    return machine.system === "windows" ? 9009 : 127;
  }
  machine.startProcess("kubeadm", run.unit, { command: machine.life.role === "init" ? "init" : "join" });
  const code = machine.life.role === "init" ? yield* init(machine, run) : yield* join(machine, run);
  machine.endProcess("kubeadm");
  if (code !== 0) machine.kubeadmFailed = true;
  machine.tell(code === 0 ? "kubeadm ends well" : `kubeadm ends with exit code ${String(code)}`);
  return code;
}

const lateWords =
  "control-plane-join/etcd: error creating local etcd static pod manifest file: timeout waiting for etcd cluster to be available";
const lateWordsOfWorker = "kubelet-start: error writing CRISocket for this node: etcdserver: request timed out";

function* join(machine: Machine, run: KubeadmRun): Step {
  const { outcome, say } = run;
  const isControlPlane = machine.life.role === "join-control-plane";
  machine.tell("kubeadm join begins");
  say("[preflight] Running pre-flight checks");
  yield machine.about(3_000);
  if ((yield* joinPreflight(machine, run)) !== 0) return 1;
  if (outcome === "slow") yield machine.about(240_000);
  yield machine.about(5_000);
  if (isControlPlane) writeManifests(machine, ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]);
  say('[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"');
  machine.write(pathOn(machine, "/etc/kubernetes/pki/ca.crt"), certificateText);
  machine.write(kubeletPath(machine, "bootstrap"), "apiVersion: v1\nkind: Config\n");
  writeKubeletFiles(machine);
  startKubelet(machine);
  say("[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap");
  const failed = yield* askForCertificate(machine, run);
  if (failed !== undefined) return failed;
  if (outcome === "killed") {
    machine.start("kubelet's own bootstrap", true, (self) => finishBootstrapAlone(machine, self));
    return 137;
  }
  writeKubeletIdentity(machine, { complete: false, failureOnDisk: false });
  machine.tell("the kubelet has its certificate");
  yield machine.about(3_000);
  machine.files.remove(kubeletPath(machine, "bootstrap"));
  if (isControlPlane) writeManifests(machine, ["etcd"]);
  yield machine.about(outcome === "late" ? 60_000 : isControlPlane ? 20_000 : 200);
  // All that a worker's kubeadm does then is to note the runtime's socket on its Node.
  if (!isControlPlane) complete(machine);
  if (outcome === "late") {
    say(`error execution phase ${isControlPlane ? lateWords : lateWordsOfWorker}`);
    return 1;
  }
  complete(machine);
  say("This node has joined the cluster:");
  return 0;
}

/** Since 1.31: the kubelet is to ask this machine's own API server, which never comes up, because etcd does not take it in. */
function* joinEtcd(machine: Machine, { say }: KubeadmRun): Step {
  machine.write(kubeletPath(machine, "bootstrap"), `apiVersion: v1\nkind: Config\n${ownApiServer}`);
  yield machine.about(60_000);
  say(
    "error execution phase etcd-join: error creating local etcd static pod manifest file: etcdserver: unhealthy cluster",
  );
  return 1;
}

/** Kubeadm's exit code where the kubelet gets none. */
function* askForCertificate(machine: Machine, run: KubeadmRun): Generator<number, number | undefined> {
  const isControlPlane = machine.life.role === "join-control-plane";
  const mayLackEtcd = isControlPlane && run.outcome === "certificate-refused";
  if (mayLackEtcd && machine.random() < 0.5) return yield* joinEtcd(machine, run);
  return (yield* mayGetCertificate(machine, run)) ? undefined : withoutCertificate(machine, run);
}

function* mayGetCertificate(machine: Machine, { outcome }: KubeadmRun): Generator<number, boolean> {
  yield machine.about(outcome === "certificate-refused" ? 300_000 : 8_000);
  return outcome !== "certificate-refused" && (yield* waitForKubelet(machine, 300_000)) < 300_000;
}

function withoutCertificate(machine: Machine, { say }: KubeadmRun): number {
  machine.files.remove(kubeletPath(machine, "bootstrap"));
  say("error execution phase kubelet-start: timed out waiting for the condition");
  return 1;
}

/** kubeadm waits for a kubelet that somebody has stopped in between until its own time is up; in milliseconds, how long it did. */
function* waitForKubelet(machine: Machine, forMs: number): Step {
  let waited = 0;
  for (; !machine.kubelet.wanted && waited < forMs; waited += 5_000) yield 5_000;
  return waited;
}

/** What ends a join before it has changed anything. */
function* joinPreflight(machine: Machine, { outcome, say }: KubeadmRun): Step {
  const taken = [
    kubeletPath(machine, "kubeconfig"),
    kubeletPath(machine, "bootstrap"),
    pathOn(machine, "/etc/kubernetes/pki/ca.crt"),
  ];
  const conflict = taken.find((path) => machine.files.has(path));
  if (conflict !== undefined) {
    say("[preflight] Some fatal errors occurred:");
    say(`\t[ERROR FileAvailable--${conflict.replaceAll(/[/\\]/gu, "-")}]: ${conflict} already exists`);
    say("error execution phase preflight: [preflight] Some fatal errors occurred:");
    return 1;
  }
  if (outcome === "refused") {
    say(
      "error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: failed to get config map: Unauthorized",
    );
    return 1;
  }
  if (outcome === "unreachable") {
    yield machine.about(300_000);
    say(
      "error execution phase preflight: couldn't validate the identity of the API Server: dial tcp 10.0.0.4:6443: i/o timeout",
    );
    return 1;
  }
  if (outcome === "hangs") yield forEver;
  return 0;
}

function* init(machine: Machine, run: KubeadmRun): Step {
  const { outcome, say } = run;
  const notBeforeMs = machine.firstBootMs - machine.image.clusterAgeDays * 86_400_000;
  machine.tell("kubeadm init begins");
  say("[init] Using Kubernetes version: v1.31.4");
  yield machine.about(3_000);
  if (initPreflight(machine, run) !== 0) return 1;
  if (outcome === "hangs") yield forEver;
  yield machine.about(4_000);
  for (const name of ["admin.conf", "controller-manager.conf", "scheduler.conf"])
    machine.write(`/etc/kubernetes/${name}`, "apiVersion: v1\nkind: Config\n");
  if (!machine.files.has("/etc/kubernetes/pki/ca.crt")) machine.write("/etc/kubernetes/pki/ca.crt", certificateText);
  const nodeName = nodeNameOf(machine);
  const certificate = issueCertificate(machine, nodeName, notBeforeMs);
  machine.files.write("/etc/kubernetes/kubelet.conf", { text: kubeconfig(machine, true), certificate }, machine.wallMs);
  yield machine.about(1_000);
  writeManifests(machine, ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]);
  writeKubeletFiles(machine);
  startKubelet(machine);
  yield machine.about(2_000);
  machine.files.write(kubeletPath(machine, "certificate"), { text: certificateText, certificate }, machine.wallMs);
  joinAs(machine, nodeName, { complete: false, failureOnDisk: true });
  machine.tell("the kubelet of the control plane runs");
  say("[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods");
  if (outcome === "killed") return 137;
  const neverComes = outcome === "unreachable" || outcome === "certificate-refused";
  if (neverComes) yield 240_000;
  if (neverComes || (yield* waitForKubelet(machine, 240_000)) >= 240_000) {
    say("error execution phase wait-control-plane: could not initialize a Kubernetes cluster");
    return 1;
  }
  yield machine.about(outcome === "slow" ? 200_000 : 20_000);
  return finishInit(machine, run);
}

function initPreflight(machine: Machine, { outcome, say }: KubeadmRun): number {
  const manifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";
  if (machine.files.has(manifest)) {
    say(
      `error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml]: ${manifest} already exists`,
    );
    return 1;
  }
  if (outcome !== "refused") return 0;
  say(
    "error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2",
  );
  return 1;
}

/** The phases after the control plane runs; kubelet-finalize among them takes the certificate out of kubelet.conf. */
function finishInit(machine: Machine, { outcome, say }: KubeadmRun): number {
  if (outcome === "late" && machine.random() < 0.5) {
    say(
      "error execution phase upload-config/kubeadm: error uploading the kubeadm ClusterConfiguration: etcdserver: request timed out",
    );
    return 1;
  }
  machine.write("/etc/kubernetes/kubelet.conf", kubeconfig(machine, false));
  if (outcome === "late") {
    joinAs(machine, nodeNameOf(machine), { complete: false, failureOnDisk: false });
    say("error execution phase addon/coredns: unable to create a new DNS service: etcdserver: request timed out");
    return 1;
  }
  complete(machine);
  say("Your Kubernetes control-plane has initialized successfully!");
  return 0;
}

function nodeNameOf(machine: Machine): string {
  return machine.life.nodeName === "host" ? machine.hostName : `node-of-${machine.vmId.slice(0, 8)}`;
}

function writeManifests(machine: Machine, names: readonly string[]): void {
  for (const name of names) machine.write(`/etc/kubernetes/manifests/${name}.yaml`, "apiVersion: v1\nkind: Pod\n");
}

const certificateText = "-----BEGIN CERTIFICATE-----\n";

function complete(machine: Machine): void {
  if (machine.membership !== undefined) machine.membership = { ...machine.membership, complete: true };
}

function writeKubeletFiles(machine: Machine): void {
  machine.write(
    kubeletPath(machine, "config"),
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nrotateCertificates: true\n",
  );
  machine.write(
    pathOn(machine, "/var/lib/kubelet/kubeadm-flags.env"),
    'KUBELET_KUBEADM_ARGS="--pod-infra-container-image=registry.k8s.io/pause:3.10"\n',
  );
}

/** Joined by other hands than a bootstrap provider's: the same files, no sentinel. */
export function* joinByHand(machine: Machine, parts: Pick<IdentityParts, "byBootstrap">): Step {
  machine.startProcess("kubeadm", "session-1.scope", { command: "join" });
  yield machine.about(4_000);
  writeKubeletFiles(machine);
  machine.write(pathOn(machine, "/etc/kubernetes/pki/ca.crt"), "-----BEGIN CERTIFICATE-----\n");
  startKubelet(machine);
  yield machine.about(8_000);
  writeKubeletIdentity(machine, { complete: true, failureOnDisk: false, ...parts });
  machine.endProcess("kubeadm");
  return 0;
}
