import {
  silent,
  distrust,
  malformed,
  absent,
  unreadable,
  distributions,
  networkAgents,
  preparing,
  runtimes,
  type Meaning,
} from "./meaning.ts";

export const runtime: readonly Meaning[] = [
  { cause: "container-runtime-not-running", kinds: ["library-unfit", "library-missing"], programs: runtimes },
  { cause: "cri-api-unimplemented", subjects: ["runtime-socket", "runtime-config"], kinds: ["unimplemented"] },
  // A pipe that may not be opened to listen on is another's.
  { cause: "container-runtime-conflict", subjects: ["runtime-listener"], kinds: ["denied"] },
  {
    cause: "container-runtime-conflict",
    subjects: ["runtime-socket", "runtime-folder"],
    kinds: ["already-exists", "address-in-use"],
    programs: distributions,
  },
  { cause: "snap-install-failed", subjects: ["snapd-socket"], kinds: [...silent, ...absent, "denied"] },
  // Who serves it and who calls are both root: modes do not keep root out.
  { cause: "selinux-or-apparmor-denied", subjects: ["store-socket"], kinds: ["denied"] },
  { cause: "datastore-failed", subjects: ["store-socket"], kinds: [...silent, ...absent] },
  {
    cause: "container-runtime-not-running",
    subjects: ["runtime-socket"],
    kinds: [...silent, ...absent, "denied", "unhealthy", "exit-status", "killed", "already-exists", "locked"],
  },
  { cause: "container-runtime-not-running", subjects: ["runtime-socket"], programs: ["kubelet"], atEnd: true },
  { cause: "container-runtime-not-running", subjects: ["runtime-answer"], atEnd: true },
  {
    cause: "container-runtime-not-running",
    subjects: ["runtime-config"],
    kinds: [...malformed, ...unreadable, "unhealthy"],
  },
];

export const controlPlane: readonly Meaning[] = [
  // The certificates of a cluster that begins are new.
  { cause: "clock-skew", subjects: ["undated-certificate"], kinds: ["expired"] },
  {
    cause: "etcd-member-add-failed",
    subjects: ["etcd-member"],
    kinds: [...silent, ...absent, "unhealthy", "already-exists", "gave-up", "not-supported"],
  },
  { cause: "etcd-unhealthy", subjects: ["etcd-answer", "etcd-check"] },
  {
    cause: "etcd-member-add-failed",
    subjects: ["etcd"],
    kinds: ["unhealthy", "already-exists"],
    programs: ["kubeadm"],
  },
  { cause: "etcd-member-add-failed", subjects: ["etcd-member"], programs: ["kubeadm"] },
  { cause: "control-plane-endpoint-mismatch", kinds: ["address-not-local"] },
  { cause: "control-plane-endpoint-mismatch", subjects: ["other-endpoint"] },
  { cause: "api-server-cert-invalid", subjects: ["expired-row"] },
  { cause: "control-plane-endpoint-mismatch", subjects: ["supervisor", "api-server"], kinds: ["bad-request"] },
  {
    cause: "control-plane-endpoint-mismatch",
    subjects: ["supervisor"],
    kinds: ["not-found"],
    programs: distributions,
  },
  { cause: "control-plane-endpoint-mismatch", subjects: ["nat-address", "unwritten-address"], kinds: silent },
  { cause: "control-plane-endpoint-mismatch", subjects: ["mistyped-port"], kinds: ["refused"] },
  { cause: "pki-file-missing-or-invalid", subjects: ["external-ca"] },
  { cause: "pki-file-missing-or-invalid", subjects: ["loaded-kubeconfig"], kinds: ["cannot-parse"], boost: -2 },
  {
    cause: "pki-file-missing-or-invalid",
    subjects: ["kubeconfig"],
    kinds: ["missing-file", "cannot-parse"],
    programs: ["kubeadm"],
  },
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
      "service-unit",
    ],
  },
  { cause: "port-in-use", kinds: ["address-in-use"] },
  { cause: "etcd-unhealthy", subjects: ["etcd"], kinds: [...silent, ...distrust, "unhealthy", "too-many-requests"] },
  { cause: "etcd-unhealthy", subjects: ["etcd", "etcd-peer"], kinds: ["mismatch"], programs: ["etcd"] },
  { cause: "api-server-cert-invalid", subjects: ["peer-certificate"], kinds: distrust },
  { cause: "pki-file-missing-or-invalid", subjects: ["secret-file"], kinds: unreadable },
  { cause: "datastore-failed", subjects: ["datastore"], kinds: ["unhealthy"], programs: ["microk8s", "k8s-snap"] },
  {
    cause: "datastore-failed",
    subjects: ["datastore", "etcd"],
    programs: ["etcd"],
    kinds: ["corrupt", "locked", "denied", "io-error", "missing-file", "wrong-file-type"],
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

export const stores: readonly Meaning[] = [
  {
    cause: "distribution-config-invalid",
    subjects: ["setting"],
    programs: ["k3s", "rke2", "rancher", "k0s"],
    atEnd: true,
    boost: -6,
  },
  { cause: "datastore-failed", subjects: ["datastore"], programs: distributions, atEnd: true, boost: -6 },
  {
    cause: "datastore-failed",
    subjects: ["datastore", "etcd"],
    kinds: ["stack-frame"],
    programs: distributions,
    boost: -8,
  },
];

export const agents: readonly Meaning[] = [
  { cause: "service-network-unreachable", subjects: ["service-network"], kinds: silent },
  {
    cause: "cni-install-failed",
    programs: networkAgents,
    kinds: ["forbidden", "unauthorized", "address-not-local", ...malformed, ...unreadable],
  },
  { cause: "cni-install-failed", subjects: ["cni"], kinds: ["already-exists", ...malformed, ...unreadable], boost: -4 },
  {
    cause: "cni-install-failed",
    subjects: ["pod-network"],
    kinds: [...silent, "unhealthy", "killed", "unauthorized"],
    boost: -4,
  },
  { cause: "cni-install-failed", subjects: ["cni", "pod-network"], kinds: ["no-addresses"] },
  { cause: "cni-install-failed", subjects: ["agent-socket"], kinds: [...silent, ...absent], boost: -4 },
  { cause: "cni-install-failed", subjects: ["pod-identity"], kinds: absent, boost: -4 },
  {
    cause: "control-plane-endpoint-mismatch",
    subjects: ["public-path"],
    kinds: ["unauthorized", "forbidden"],
    programs: distributions,
  },
  { cause: "clock-skew", subjects: ["undated-certificate"], kinds: ["expired"], programs: distributions },
  { cause: "api-server-cert-invalid", subjects: ["supervisor"], kinds: distrust },
];

export const network: readonly Meaning[] = [
  { cause: "unsupported-os", kinds: ["library-unfit"] },
  { cause: "cni-install-failed", programs: networkAgents, boost: -6, atEnd: true },
  { cause: "cni-install-failed", subjects: ["cni"], boost: -6, atEnd: true },
  {
    cause: "image-pull-failed",
    subjects: ["image"],
    kinds: ["exit-status", "tls-failed", "bad-request", "unknown-authority", "corrupt", "invalid-value", "mismatch"],
  },
  { cause: "join-timeout-unknown", subjects: ["own-socket"], kinds: ["timed-out"], programs: ["k8s-snap"] },
  { cause: "api-server-unreachable", subjects: ["api-server", "supervisor"], kinds: silent },
  {
    cause: "preflight-binary-missing",
    subjects: ["binary"],
    kinds: ["missing-file", "not-found"],
    programs: preparing,
  },
  { cause: "preflight-binary-missing", subjects: ["exec-step"], kinds: ["missing-file"], programs: preparing },
  { cause: "preflight-binary-missing", kinds: ["missing-file"], programs: ["kubeadm"] },
  {
    cause: "http-download-failed",
    subjects: ["file-url"],
    kinds: [...silent, "not-found", "forbidden", "unauthorized"],
  },
  { cause: "http-download-failed", subjects: ["named-download"] },
  { cause: "kubeadm-not-run", subjects: ["kubelet-config"], kinds: absent },
  { cause: "cloud-init-userdata-invalid", subjects: ["user-data"], kinds: ["cannot-parse"] },
];
