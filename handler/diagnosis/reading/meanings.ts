import type { Cause } from "../causes.ts";
import type { Kind } from "./kinds.ts";
import type { Program } from "./programs.ts";
import type { Subject } from "./subjects.ts";

/** Which cause a kind of failure of a subject is. The first row that fits counts; a list left out fits everything. */
export interface Meaning {
  readonly cause: Cause;
  readonly kinds?: readonly Kind[];
  readonly subjects?: readonly Subject[];
  readonly programs?: readonly Program[];
  /** What says this has no other reason behind it: it goes before what others say. */
  readonly boost?: number;
  /** Counts even where another row would say more of a part of the line. */
  readonly final?: true;
  /** Says only which step failed: every other row, of any line, goes before it. */
  readonly general?: true;
}

const silent: readonly Kind[] = ["refused", "reset", "eof", "no-route", "timed-out", "server-error"];
const distrust: readonly Kind[] = ["unknown-authority", "wrong-name", "expired", "tls-failed"];
const rejected: readonly Kind[] = ["unauthorized", "forbidden", "expired"];
const malformed: readonly Kind[] = [
  "unknown-option",
  "cannot-parse",
  "invalid-value",
  "version-differs",
  "not-supported",
];
const absent: readonly Kind[] = ["missing-file", "not-found"];
const unreadable: readonly Kind[] = [
  ...absent,
  "denied",
  "cannot-parse",
  "mismatch",
  "corrupt",
  "invalid-value",
  "expired",
  "tls-failed",
  "unknown-authority",
];
const distributions: readonly Program[] = ["k3s", "rke2", "k0s", "microk8s", "k8s-snap"];
const networkAgents: readonly Program[] = ["azure-cni", "calico", "cilium", "cni-plugin", "kube-proxy"];
const runtimes: readonly Program[] = ["containerd", "crio", "docker", "runc"];

/** What a kind means whatever it was about. */
const everywhere: readonly Meaning[] = [
  { cause: "os-provisioning-timeout", subjects: ["os-provisioning"], programs: ["azure"] },
  { cause: "vm-extension-timeout", subjects: ["vm-extension"], kinds: ["timed-out"], programs: ["azure"] },
  { cause: "vm-extension-failed", subjects: ["vm-extension"], programs: ["azure"] },
  { cause: "unsupported-os", subjects: ["os"], kinds: ["not-supported"] },
  { cause: "windows-service-start-failed", subjects: ["windows-service"], general: true, final: true },
  { cause: "node-name-conflict", subjects: ["named-node"], kinds: ["already-exists"] },
  { cause: "kubelet-not-running", subjects: ["kubelet-health"], general: true, final: true },
  {
    cause: "cni-not-ready",
    subjects: ["cni"],
    kinds: ["unhealthy"],
    programs: ["kubelet", "k3s", "rke2", "k0s"],
    general: true,
    final: true,
  },
  { cause: "disk-full", boost: 8, kinds: ["out-of-space"] },
  { cause: "selinux-or-apparmor-denied", boost: 8, kinds: ["security-denied"] },
  { cause: "image-os-mismatch", boost: 8, kinds: ["no-platform", "exec-format"] },
  { cause: "azure-quota-exceeded", kinds: ["quota"], programs: ["azure"] },
  { cause: "azure-capacity-unavailable", kinds: ["no-capacity"] },
  { cause: "proxy-misconfigured", kinds: ["proxy-refused"] },
  { cause: "proxy-misconfigured", kinds: [...silent, "no-such-host", "forbidden"], subjects: ["proxy"] },
  { cause: "dns-resolution-failed", boost: 8, kinds: ["no-such-host"] },
  { cause: "clock-skew", boost: 8, kinds: ["not-yet-valid"] },
  { cause: "out-of-memory", boost: 8, kinds: ["out-of-memory"] },
];

const joining: readonly Meaning[] = [
  { cause: "node-password-rejected", subjects: ["node-password"] },
  { cause: "distribution-config-invalid", subjects: ["setting"], kinds: malformed, programs: distributions },
  {
    cause: "upload-certs-expired",
    subjects: ["certificate-key"],
    kinds: [...absent, "corrupt", "cannot-parse", "invalid-value", "expired", "forbidden"],
  },
  { cause: "ca-cert-hash-mismatch", subjects: ["ca-hash"] },
  { cause: "swap-enabled", subjects: ["swap"], programs: ["kubeadm", "kubelet"] },
  { cause: "feature-gate-unknown", subjects: ["feature-gate"] },
  { cause: "cgroup-driver-mismatch", subjects: ["cgroup-driver"] },
  {
    cause: "cloud-provider-auth-failed",
    subjects: ["cloud-api"],
    kinds: [...rejected, "missing-file", "denied", "cannot-parse"],
  },
  { cause: "cloud-provider-auth-failed", kinds: rejected, programs: ["azure"] },
  {
    cause: "bootstrap-token-invalid-or-expired",
    subjects: ["token"],
    kinds: [...rejected, ...absent, "cannot-parse", "invalid-value", "mismatch", "wrong-name"],
  },
];

const machine: readonly Meaning[] = [
  { cause: "preflight-insufficient-resources", subjects: ["cpu", "memory"], programs: ["kubeadm"] },
  { cause: "preflight-kernel-params", subjects: ["kernel-parameter"] },
  {
    cause: "host-environment-restricted",
    subjects: ["host-environment"],
    kinds: [
      "denied",
      "not-supported",
      "missing-file",
      "not-found",
      "invalid-value",
      "mismatch",
      "exec-format",
      "unhealthy",
    ],
  },
  { cause: "disk-mount-failed", kinds: ["io-error", "read-only"], subjects: ["disk", "mount", "host-environment"] },
  { cause: "kernel-unsupported", subjects: ["cgroup", "kernel", "kernel-module"] },
  { cause: "gpu-driver-install-failed", subjects: ["gpu"] },
  { cause: "hns-network-failed", subjects: ["hns"] },
  { cause: "hcs-container-start-failed", subjects: ["hcs"] },
];

const images: readonly Meaning[] = [
  { cause: "image-pull-rate-limited", subjects: ["image"], kinds: ["too-many-requests"] },
  { cause: "image-pull-auth", subjects: ["image"], kinds: ["unauthorized", "forbidden"] },
  { cause: "image-pull-not-found", subjects: ["image"], kinds: ["not-found"] },
  { cause: "image-pull-timeout", subjects: ["image"], kinds: silent },
  { cause: "image-pull-failed", subjects: ["image"], kinds: ["corrupt", "tls-failed", "unknown-authority"] },
];

const downloads: readonly Meaning[] = [
  {
    cause: "http-download-failed",
    subjects: ["download"],
    kinds: [...silent, ...distrust, ...rejected, "not-found", "corrupt", "mismatch"],
  },
];

const runtime: readonly Meaning[] = [
  { cause: "cri-api-unimplemented", subjects: ["runtime-socket", "runtime-config"], kinds: ["unimplemented"] },
  {
    cause: "container-runtime-conflict",
    subjects: ["runtime-socket"],
    kinds: ["already-exists", "address-in-use"],
    programs: distributions,
  },
  {
    cause: "container-runtime-not-running",
    subjects: ["runtime-socket"],
    kinds: [...silent, ...absent, "denied", "unhealthy", "exit-status", "killed", "already-exists", "locked"],
  },
  {
    cause: "container-runtime-not-running",
    subjects: ["runtime-config"],
    kinds: [...malformed, ...unreadable, "unhealthy"],
  },
];

const provisioning: readonly Meaning[] = [
  { cause: "guest-agent-failed", subjects: ["wireserver"], programs: ["waagent"] },
  { cause: "cloud-init-dhcp-failed", subjects: ["dhcp"], programs: ["cloud-init", "waagent", "systemd", "kernel"] },
  { cause: "cloudbase-init-metadata-failed", subjects: ["metadata-service"], programs: ["cloudbase-init"] },
  { cause: "cloudbase-init-plugin-failed", subjects: ["plugin-end"], programs: ["cloudbase-init"] },
  { cause: "cloud-init-datasource-failed", subjects: ["metadata-service", "wireserver"], programs: ["cloud-init"] },
  { cause: "apt-lock-held", kinds: ["locked"], programs: ["apt", "yum"] },
  { cause: "package-not-found", kinds: ["not-found"], subjects: ["package"], programs: ["apt", "yum"] },
  {
    cause: "disk-mount-failed",
    subjects: ["disk", "mount"],
    programs: ["cloud-init", "systemd", "kernel", "talos", "ignition", "waagent"],
  },
  {
    cause: "cloud-init-userdata-invalid",
    subjects: ["user-data"],
    kinds: [...malformed, ...absent, "mismatch", "corrupt"],
    programs: ["cloud-init"],
  },
  {
    cause: "ignition-fetch-failed",
    programs: ["ignition"],
    kinds: [...silent, ...distrust, "not-found", "unauthorized", "forbidden"],
  },
  { cause: "ignition-config-invalid", programs: ["ignition"] },
  { cause: "guest-agent-failed", programs: ["waagent"] },
  { cause: "guest-agent-failed", subjects: ["wireserver"], programs: ["azure"] },
  { cause: "imds-unreachable", subjects: ["metadata-service"], kinds: [...silent, ...absent, "too-many-requests"] },
  { cause: "machine-config-invalid", programs: ["talos"], kinds: malformed },
  { cause: "snap-install-failed", programs: ["snap"] },
];

const packages: readonly Meaning[] = [
  {
    cause: "apt-repository-failed",
    subjects: ["package-mirror"],
    kinds: [
      "not-found",
      "forbidden",
      "unauthorized",
      "unknown-authority",
      "expired",
      "corrupt",
      "tls-failed",
      "mismatch",
      "invalid-value",
    ],
    programs: ["apt", "yum", "cloud-init"],
  },
  { cause: "http-download-failed", programs: ["apt", "yum"], kinds: silent },
  {
    cause: "apt-repository-failed",
    programs: ["apt", "yum"],
    kinds: ["unknown-authority", "expired", "corrupt", "tls-failed", "forbidden", "unauthorized"],
  },
  { cause: "http-download-failed", programs: ["download"] },
];

const controlPlane: readonly Meaning[] = [
  {
    cause: "etcd-member-add-failed",
    subjects: ["etcd"],
    kinds: ["unhealthy", "already-exists"],
    programs: ["kubeadm"],
  },
  { cause: "control-plane-endpoint-mismatch", kinds: ["address-not-local"] },
  {
    cause: "node-already-joined",
    kinds: ["already-exists"],
    subjects: [
      "datastore",
      "etcd",
      "token",
      "supervisor",
      "api-server",
      "kubeconfig",
      "secret-file",
      "node",
      "configuration",
    ],
  },
  { cause: "port-in-use", kinds: ["address-in-use"] },
  { cause: "etcd-unhealthy", subjects: ["etcd"], kinds: [...silent, ...distrust, "unhealthy", "too-many-requests"] },
  { cause: "pki-file-missing-or-invalid", subjects: ["secret-file"], kinds: unreadable },
  {
    cause: "datastore-failed",
    subjects: ["datastore", "etcd"],
    programs: ["etcd"],
    kinds: ["corrupt", "locked", "denied", "io-error", "missing-file"],
  },
  {
    cause: "datastore-failed",
    subjects: ["datastore", "etcd"],
    programs: distributions,
    kinds: [
      "corrupt",
      "cannot-parse",
      "locked",
      "denied",
      "forbidden",
      "unauthorized",
      "refused",
      "timed-out",
      "mismatch",
      "io-error",
      "killed",
      "missing-file",
      "not-found",
      "invalid-value",
      "not-supported",
    ],
  },
];

const agents: readonly Meaning[] = [
  { cause: "service-network-unreachable", subjects: ["service-network"], kinds: silent },
  {
    cause: "cni-install-failed",
    programs: networkAgents,
    kinds: ["forbidden", "unauthorized", ...malformed, ...unreadable],
  },
  { cause: "api-server-cert-invalid", subjects: ["supervisor"], kinds: distrust },
];

const trust: readonly Meaning[] = [
  {
    cause: "tls-bootstrap-failed",
    subjects: ["certificate-request", "token"],
    kinds: [...rejected, ...absent, "gave-up", "timed-out", "unhealthy"],
  },
  { cause: "api-server-cert-invalid", subjects: ["api-server", "supervisor", "kubeconfig"], kinds: distrust },
  {
    cause: "api-server-cert-invalid",
    kinds: ["unknown-authority", "wrong-name", "expired"],
    programs: ["kubelet", "kubeadm", "kube-proxy", ...distributions],
  },
  {
    cause: "bootstrap-token-invalid-or-expired",
    subjects: ["supervisor"],
    kinds: ["unauthorized", "forbidden"],
    programs: distributions,
  },
  { cause: "bootstrap-token-invalid-or-expired", kinds: ["unauthorized"], programs: ["kubeadm"] },
  { cause: "tls-bootstrap-failed", subjects: ["api-server", "node", "kubelet"], kinds: ["unauthorized"] },
  { cause: "kubelet-identity-forbidden", subjects: ["api-server", "node"], kinds: ["forbidden"] },
];

const configuration: readonly Meaning[] = [
  { cause: "kubelet-version-skew", kinds: ["version-differs"], subjects: ["kubelet"] },
  { cause: "unsupported-kubernetes-version", kinds: ["version-differs"], programs: ["kubeadm"] },
  { cause: "node-name-conflict", subjects: ["node", "host-name"], kinds: ["already-exists"] },
  {
    cause: "hostname-invalid-or-mismatch",
    subjects: ["host-name"],
    kinds: ["invalid-value", "mismatch", "not-found", "cannot-parse"],
  },
  { cause: "kubelet-config-invalid", subjects: ["kubelet-config"], kinds: [...malformed, "mismatch", "cannot-parse"] },
  {
    cause: "kubelet-config-invalid",
    programs: ["kubelet"],
    kinds: ["unknown-option", "cannot-parse", "invalid-value"],
  },
  {
    cause: "kubeadm-config-invalid",
    programs: ["kubeadm"],
    kinds: ["unknown-option", "cannot-parse", "invalid-value", "version-differs"],
  },
  { cause: "distribution-config-invalid", programs: distributions, kinds: malformed },
  { cause: "container-runtime-not-running", programs: runtimes, kinds: malformed },
  { cause: "cni-install-failed", programs: networkAgents, kinds: [...malformed, ...unreadable] },
];

const network: readonly Meaning[] = [
  { cause: "cni-install-failed", programs: networkAgents },
  { cause: "cni-install-failed", subjects: ["cni"] },
  {
    cause: "image-pull-failed",
    subjects: ["image"],
    kinds: ["exit-status", "tls-failed", "unknown-authority", "corrupt", "invalid-value", "mismatch"],
  },
  { cause: "api-server-unreachable", subjects: ["api-server", "supervisor"], kinds: silent },
  { cause: "preflight-binary-missing", subjects: ["binary"], kinds: ["missing-file", "not-found"] },
  { cause: "preflight-binary-missing", kinds: ["missing-file"], programs: ["shell", "kubeadm"] },
  { cause: "kubeadm-not-run", subjects: ["kubelet-config"], kinds: absent },
];

/** Which step failed, where nothing says why. */
const steps: readonly Meaning[] = [
  { general: true, cause: "join-timeout-unknown", programs: ["kubeadm"], subjects: ["control-plane-wait"] },
  { general: true, cause: "join-timeout-unknown", programs: ["kubeadm"], kinds: ["timed-out", "gave-up"] },
  { general: true, cause: "cloud-init-scripts-failed", programs: ["cloud-init"], subjects: ["script"] },
  {
    general: true,
    cause: "image-pull-failed",
    subjects: ["image"],
    programs: ["kubeadm", "kubelet", ...runtimes, ...distributions],
  },
  { general: true, cause: "pod-sandbox-failed", subjects: ["sandbox"] },
  { general: true, cause: "container-runtime-not-running", programs: runtimes },
  { general: true, cause: "etcd-unhealthy", programs: ["etcd"] },
  { general: true, cause: "guest-agent-failed", programs: ["waagent"] },
  { general: true, cause: "control-plane-component-crash", programs: ["kube-apiserver"] },
  { general: true, cause: "kubelet-not-running", programs: ["kubelet"] },
  { general: true, cause: "kubelet-not-running", subjects: ["kubelet"] },
  { general: true, cause: "join-timeout-unknown", kinds: ["gave-up"] },
  { general: true, cause: "preflight-other", programs: ["kubeadm"] },
  { general: true, cause: "windows-service-start-failed", programs: ["powershell"], subjects: ["unit"] },
];

export const meanings: readonly Meaning[] = [
  ...everywhere,
  ...joining,
  ...machine,
  ...agents,
  ...provisioning,
  ...packages,
  ...images,
  ...downloads,
  ...runtime,
  ...controlPlane,
  ...trust,
  ...configuration,
  ...network,
  ...steps,
];
