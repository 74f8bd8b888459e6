import {
  distrust,
  rejected,
  malformed,
  absent,
  unreadable,
  distributions,
  networkAgents,
  runtimes,
  type Meaning,
} from "./meaning.ts";

export const trust: readonly Meaning[] = [
  {
    cause: "tls-bootstrap-failed",
    subjects: ["certificate-request", "token"],
    kinds: [...rejected, ...absent, "gave-up", "timed-out", "unhealthy"],
  },
  { cause: "tls-bootstrap-failed", subjects: ["certificate-request"], kinds: ["server-error"] },
  { cause: "tls-bootstrap-failed", subjects: ["certificate-request"], programs: ["kubelet"] },
  { cause: "api-server-cert-invalid", subjects: ["api-server", "supervisor", "kubeconfig"], kinds: distrust },
  {
    cause: "api-server-cert-invalid",
    kinds: ["unknown-authority", "wrong-name", "expired"],
    programs: ["kubelet", "kubeadm", "kube-proxy", "talos", ...distributions],
  },
  {
    cause: "bootstrap-token-invalid-or-expired",
    subjects: ["supervisor", "join"],
    kinds: ["unauthorized", "forbidden"],
    programs: distributions,
  },
  { cause: "bootstrap-token-invalid-or-expired", kinds: ["unauthorized"], programs: ["kubeadm"] },
  { cause: "kubelet-identity-forbidden", subjects: ["node-object"], kinds: ["unauthorized"], programs: ["kubelet"] },
  { cause: "tls-bootstrap-failed", subjects: ["api-server", "node", "kubelet"], kinds: ["unauthorized"] },
  { cause: "kubelet-identity-forbidden", subjects: ["api-server", "node"], kinds: ["forbidden"] },
];

export const configuration: readonly Meaning[] = [
  { cause: "kubeadm-config-invalid", subjects: ["kubeadm-config"], kinds: malformed, programs: ["kubeadm"] },
  { cause: "kubelet-version-skew", subjects: ["old-kubelets"] },
  { cause: "kubelet-version-skew", subjects: ["pool-version"], kinds: ["version-differs"] },
  { cause: "unsupported-kubernetes-version", kinds: ["version-differs"], programs: ["kubeadm", "talos"] },
  { cause: "kubelet-version-skew", kinds: ["version-differs"], subjects: ["kubelet"] },
  {
    cause: "unsupported-kubernetes-version",
    subjects: ["kubernetes-version"],
    kinds: ["cannot-parse", "invalid-value"],
  },
  { cause: "node-name-conflict", subjects: ["node", "host-name"], kinds: ["already-exists"] },
  // It asks whether the cluster's name server knows the node that joins.
  { cause: "dns-resolution-failed", subjects: ["host-name"], kinds: ["mismatch", "not-found"], programs: ["microk8s"] },
  {
    cause: "hostname-invalid-or-mismatch",
    subjects: ["host-name"],
    kinds: ["invalid-value", "mismatch", "not-found", "cannot-parse"],
  },
  { cause: "kubeadm-not-run", subjects: ["kubelet-kubeconfig"], kinds: absent, programs: ["kubelet"] },
  { cause: "kubelet-config-invalid", subjects: ["kubelet-manager"], programs: ["kubelet"], atEnd: true },
  { cause: "kubelet-config-invalid", subjects: ["environment-file"], kinds: absent, programs: ["kubelet"] },
  { cause: "kubelet-config-invalid", subjects: ["name-server-file"], kinds: absent },
  { cause: "kubelet-config-invalid", subjects: ["node-address"], kinds: ["not-found"], programs: ["kubelet"] },
  { cause: "distribution-config-invalid", subjects: ["environment-file"], kinds: absent, programs: distributions },
  { cause: "kubelet-config-invalid", subjects: ["kubelet-config"], kinds: [...malformed, "mismatch", "corrupt"] },
  {
    cause: "kubelet-config-invalid",
    programs: ["kubelet"],
    kinds: ["unknown-option", "cannot-parse", "invalid-value", "wrong-file-type"],
  },
  {
    cause: "kubeadm-config-invalid",
    programs: ["kubeadm"],
    kinds: ["unknown-option", "cannot-parse", "invalid-value", "version-differs"],
  },
  { cause: "control-plane-component-crash", programs: ["kube-apiserver"], kinds: ["unknown-option"], atEnd: true },
  { cause: "distribution-config-invalid", programs: distributions, kinds: malformed },
  { cause: "distribution-config-invalid", programs: distributions, subjects: ["configuration"], kinds: ["mismatch"] },
  { cause: "pod-sandbox-failed", subjects: ["sandbox-start"], kinds: malformed },
  { cause: "container-runtime-not-running", programs: runtimes, kinds: malformed },
  { cause: "cni-install-failed", programs: networkAgents, kinds: [...malformed, ...unreadable] },
];
