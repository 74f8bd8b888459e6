import {
  silent,
  distrust,
  rejected,
  malformed,
  absent,
  distributions,
  networkAgents,
  preparing,
  runtimes,
  unreadable,
  type Meaning,
} from "./meaning.ts";

/** What a kind means whatever it was about. */
export const everywhere: readonly Meaning[] = [
  { cause: "os-provisioning-timeout", subjects: ["os-provisioning"], programs: ["azure"] },
  { cause: "vm-extension-timeout", subjects: ["vm-extension"], kinds: ["timed-out"], programs: ["azure"] },
  { cause: "vm-extension-failed", subjects: ["vm-extension"], programs: ["azure"] },
  { cause: "vm-extension-timeout", subjects: ["extension-time"], programs: ["waagent"] },
  { cause: "http-download-failed", subjects: ["artifact"], kinds: silent, programs: ["waagent"] },
  { cause: "outbound-connectivity-blocked", boost: 8, kinds: ["blocked"] },
  { cause: "dns-resolution-failed", boost: 8, kinds: ["no-such-host"], programs: ["waagent"] },
  { cause: "http-download-failed", subjects: ["vm-extension"], kinds: silent, programs: ["waagent"] },
  { cause: "vm-extension-failed", subjects: ["vm-extension"], programs: ["waagent"] },
  {
    cause: "unsupported-kubernetes-version",
    subjects: ["version-list"],
    programs: ["kubeadm"],
    general: true,
    final: true,
  },
  { cause: "control-plane-component-crash", subjects: ["started-service"], general: true, final: true },
  // It waits for what it has just started on its own machine.
  {
    cause: "join-timeout-unknown",
    subjects: ["control-plane-wait"],
    kinds: [...silent, "gave-up"],
    programs: ["kubeadm"],
    general: true,
    final: true,
  },
  { cause: "unsupported-os", subjects: ["init-system"], kinds: absent },
  { cause: "unsupported-os", subjects: ["os"], kinds: ["not-supported", "no-platform", "unknown-option"] },
  { cause: "windows-service-start-failed", subjects: ["windows-service"], general: true, final: true },
  { cause: "windows-service-start-failed", kinds: ["service-failed"] },
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
  { cause: "cni-not-ready", subjects: ["network-state"], general: true, final: true },
  { cause: "disk-full", boost: 8, kinds: ["out-of-space"] },
  { cause: "selinux-or-apparmor-denied", boost: 8, kinds: ["security-denied"] },
  { cause: "kernel-unsupported", boost: 8, kinds: ["exec-format"], subjects: ["kernel-module"] },
  { cause: "cloud-init-userdata-invalid", boost: 8, kinds: ["exec-format"], subjects: ["shebang"] },
  { cause: "image-os-mismatch", boost: 8, kinds: ["no-platform", "exec-format"] },
  { cause: "azure-quota-exceeded", kinds: ["quota"], programs: ["azure"] },
  { cause: "azure-capacity-unavailable", kinds: ["no-capacity"] },
  { cause: "proxy-misconfigured", kinds: ["proxy-refused"] },
  { cause: "proxy-misconfigured", kinds: [...silent, "no-such-host", "forbidden"], subjects: ["proxy"] },
  { cause: "dns-resolution-failed", boost: 8, kinds: ["no-such-host"] },
  { cause: "clock-skew", boost: 8, kinds: ["not-yet-valid"] },
  { cause: "clock-skew", subjects: ["public-certificate"], kinds: ["expired"] },
  { cause: "out-of-memory", boost: 8, kinds: ["out-of-memory"] },
  {
    cause: "tls-bootstrap-failed",
    boost: 8,
    kinds: ["expired"],
    subjects: ["certificate-request"],
    programs: ["kubelet"],
  },
];

export const joining: readonly Meaning[] = [
  { cause: "container-runtime-not-running", subjects: ["runtime-end"], programs: runtimes },
  { cause: "kubelet-config-invalid", subjects: ["no-endpoint"], programs: ["kubelet"] },
  { cause: "node-password-rejected", subjects: ["node-password"] },
  { cause: "distribution-config-invalid", subjects: ["setting"], kinds: malformed, programs: distributions },
  { cause: "distribution-config-invalid", subjects: ["install-config"], kinds: malformed },
  {
    cause: "upload-certs-expired",
    subjects: ["certificate-key"],
    kinds: [...absent, "corrupt", "cannot-parse", "invalid-value", "expired", "forbidden"],
  },
  { cause: "ca-cert-hash-mismatch", subjects: ["ca-hash"] },
  { cause: "swap-enabled", subjects: ["swap"], programs: ["kubeadm", "kubelet"] },
  { cause: "feature-gate-unknown", subjects: ["feature-gate"] },
  { cause: "cgroup-driver-mismatch", subjects: ["cgroup-driver"] },
  { cause: "cloud-provider-init-pending", subjects: ["cloud-taint"], kinds: absent },
  { cause: "cloud-provider-init-pending", subjects: ["cloud-taint"], programs: ["kubelet"] },
  {
    cause: "cloud-provider-auth-failed",
    subjects: ["cloud-api"],
    kinds: [...rejected, ...absent, "denied", "cannot-parse", "bad-request"],
  },
  { cause: "cloud-provider-auth-failed", subjects: ["cloud-call"], kinds: [...rejected, "denied", "bad-request"] },
  { cause: "cloud-provider-auth-failed", subjects: ["machine-identity"] },
  { cause: "cloud-provider-auth-failed", kinds: rejected, programs: ["azure"] },
  {
    cause: "bootstrap-token-invalid-or-expired",
    subjects: ["token"],
    kinds: [...rejected, ...absent, "cannot-parse", "invalid-value", "mismatch", "wrong-name"],
  },
  {
    cause: "tls-bootstrap-failed",
    subjects: ["client-certificate"],
    kinds: [...unreadable, "gave-up", "timed-out", "unhealthy"],
    programs: ["kubelet"],
  },
];

export const machine: readonly Meaning[] = [
  { cause: "gpu-driver-install-failed", subjects: ["gpu"] },
  { cause: "preflight-insufficient-resources", subjects: ["cpu", "memory"], programs: ["kubeadm"] },
  { cause: "preflight-insufficient-resources", subjects: ["asserted-size"] },
  { cause: "swap-enabled", subjects: ["asserted-swap"] },
  { cause: "kernel-unsupported", subjects: ["asserted-kernel"] },
  { cause: "unsupported-kubernetes-version", subjects: ["version-fact"], kinds: ["not-supported", "version-differs"] },
  { cause: "host-environment-restricted", subjects: ["kernel-parameter", "cgroup"], kinds: ["denied", "read-only"] },
  // Images whose system folders are read-only for good.
  { cause: "host-environment-restricted", subjects: ["system-folder"], kinds: ["read-only"] },
  // A page in the place of the image.
  { cause: "image-pull-not-found", subjects: ["media-type"], kinds: ["not-found"] },
  {
    cause: "host-environment-restricted",
    subjects: ["module-parameter"],
    kinds: ["denied", "read-only", "not-supported"],
  },
  // An image's files are unpacked by root.
  { cause: "host-environment-restricted", subjects: ["mapped-users"], kinds: ["denied", "invalid-value"] },
  { cause: "kernel-unsupported", subjects: ["link-type"], kinds: ["not-supported"] },
  {
    cause: "image-pull-failed",
    subjects: ["image-layer"],
    kinds: ["missing-file", "denied", "invalid-value", "corrupt", "not-found"],
  },
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
  { cause: "host-environment-restricted", subjects: ["service-bus"] },
  { cause: "host-environment-restricted", subjects: ["mount-table"], kinds: ["cannot-parse"] },
  {
    cause: "host-environment-restricted",
    subjects: ["shared-kernel"],
    kinds: ["denied", "read-only", "not-supported"],
  },
  { cause: "selinux-or-apparmor-denied", subjects: ["label-write"], kinds: ["denied", ...absent] },
  {
    cause: "host-environment-restricted",
    subjects: ["not-permitted"],
    kinds: ["denied"],
    // systemd says so of each part of a unit's surroundings that it does without.
    programs: [...preparing.filter((program) => program !== "systemd"), ...runtimes],
  },
  { cause: "host-environment-restricted", subjects: ["link-made"], kinds: ["denied"] },
  { cause: "host-environment-restricted", subjects: ["kernel-mount"], kinds: ["denied", "read-only", "not-supported"] },
  // systemd and the units that it starts are root's: modes and owners do not keep root from a program.
  { cause: "selinux-or-apparmor-denied", subjects: ["exec-step"], kinds: ["denied"] },
  { cause: "host-environment-restricted", subjects: ["unit-surroundings"], kinds: ["not-supported", "denied"] },
  { cause: "kernel-unsupported", subjects: ["kernel-fs"] },
  { cause: "disk-mount-failed", subjects: ["device-tool"] },
  { cause: "disk-mount-failed", subjects: ["disk-wait"], kinds: ["gave-up", "not-found", "timed-out"] },
  // In these words SQLite says that it cannot read its file.
  { cause: "datastore-failed", subjects: ["store-file"], kinds: ["io-error"] },
  { cause: "disk-mount-failed", subjects: ["bad-medium"], kinds: ["io-error"] },
  { cause: "disk-mount-failed", kinds: ["locked"], subjects: ["disk", "mount"] },
  { cause: "cni-install-failed", kinds: ["read-only"], subjects: ["cni-folder"] },
  { cause: "disk-mount-failed", kinds: ["io-error", "read-only"], subjects: ["disk", "mount", "host-environment"] },
  { cause: "container-runtime-not-running", subjects: ["runtime-program"] },
  {
    cause: "container-runtime-not-running",
    subjects: ["runtime-listening"],
    kinds: ["address-in-use", "already-exists"],
  },
  { cause: "container-runtime-not-running", subjects: ["runtime-call"], kinds: silent },
  { cause: "preflight-binary-missing", subjects: ["node-program"], kinds: ["missing-file"] },
  { cause: "host-environment-restricted", subjects: ["kernel-module"], kinds: ["denied"] },
  {
    cause: "kubelet-config-invalid",
    subjects: ["cgroup-setting"],
    kinds: ["not-found", "invalid-value", "missing-file"],
    programs: ["kubelet"],
  },
  { cause: "kernel-unsupported", subjects: ["cgroup", "kernel", "kernel-module"] },
  {
    cause: "kernel-unsupported",
    kinds: ["kernel-lacks"],
    programs: [...runtimes, ...networkAgents, ...distributions, "kubelet", "kubeadm"],
  },
  { cause: "unsupported-os", kinds: ["library-unfit"], programs: ["kubelet", "kubeadm", "download", "shell"] },
  // A script's own tool may lack any library.
  { cause: "unsupported-os", kinds: ["library-missing"], programs: ["kubelet", "kubeadm", "download"] },
  { cause: "hns-network-failed", subjects: ["hns"] },
  { cause: "hcs-container-start-failed", subjects: ["hcs"] },
  // Whoever asks for an add-on's file names the add-on.
  {
    cause: "http-download-failed",
    subjects: ["add-on-file"],
    kinds: [...silent, "not-found", "corrupt", "mismatch"],
  },
];

export const images: readonly Meaning[] = [
  { cause: "image-pull-rate-limited", subjects: ["image", "registry"], kinds: ["too-many-requests"] },
  { cause: "image-pull-auth", subjects: ["image", "registry"], kinds: ["unauthorized", "forbidden"] },
  { cause: "image-pull-not-found", subjects: ["image"], kinds: ["not-found"] },
  { cause: "image-pull-failed", subjects: ["image"], kinds: ["expired", "wrong-name"] },
  { cause: "image-pull-failed", subjects: ["image-name"], kinds: ["cannot-parse", "invalid-value"] },
  { cause: "image-pull-failed", subjects: ["image-backoff"], kinds: ["unhealthy"] },
  // Who answers that something is wrong with it has been reached.
  { cause: "image-pull-failed", subjects: ["image"], kinds: ["server-error"] },
  { cause: "image-pull-timeout", subjects: ["image", "registry"], kinds: silent },
  {
    cause: "image-pull-failed",
    subjects: ["image", "registry"],
    kinds: ["corrupt", "tls-failed", "bad-request", "unknown-authority", "cannot-parse"],
  },
];

export const downloads: readonly Meaning[] = [
  {
    cause: "http-download-failed",
    subjects: ["http-client"],
    kinds: [...silent, ...distrust, "not-found", "forbidden", "unauthorized"],
  },
  {
    cause: "http-download-failed",
    subjects: ["download"],
    kinds: [...silent, ...distrust, ...rejected, "not-found", "corrupt", "mismatch"],
  },
];
