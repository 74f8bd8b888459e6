import { silent, distrust, malformed, absent, unreadable, type Meaning } from "./meaning.ts";

export const provisioning: readonly Meaning[] = [
  { cause: "ignition-fetch-failed", subjects: ["config-source"], kinds: absent, programs: ["ignition"] },
  {
    cause: "ignition-config-invalid",
    subjects: ["account"],
    kinds: [...absent, "exit-status"],
    programs: ["ignition"],
  },
  { cause: "guest-agent-failed", subjects: ["wireserver"], programs: ["waagent"] },
  { cause: "cloud-init-dhcp-failed", subjects: ["dhcp"], programs: ["cloud-init", "waagent", "systemd", "kernel"] },
  { cause: "cloudbase-init-metadata-failed", subjects: ["metadata-service"], programs: ["cloudbase-init"] },
  { cause: "cloudbase-init-plugin-failed", subjects: ["plugin-end"], programs: ["cloudbase-init"] },
  { cause: "cloud-init-datasource-failed", subjects: ["metadata-service", "wireserver"], programs: ["cloud-init"] },
  { cause: "package-not-found", kinds: ["unmet-dependency"], programs: ["apt", "yum", "cloud-init"] },
  {
    cause: "http-download-failed",
    subjects: ["answer-page"],
    kinds: ["cannot-parse", ...absent],
    programs: ["shell", "cloud-init"],
  },
  { cause: "cloud-init-scripts-failed", kinds: ["cannot-parse"], programs: ["aks-cse", "powershell", "shell"] },
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
  // EKS' nodes are told what they are in their user data alone.
  { cause: "cloud-init-userdata-invalid", programs: ["nodeadm"], kinds: malformed },
  { cause: "cloud-init-userdata-invalid", subjects: ["user-data"], programs: ["nodeadm"], kinds: absent },
  // What cloudbase-init does not support of a cloud-config it leaves out and goes on.
  {
    cause: "cloud-init-userdata-invalid",
    subjects: ["user-data"],
    kinds: ["cannot-parse", "corrupt"],
    programs: ["cloudbase-init"],
  },
  {
    cause: "ignition-fetch-failed",
    programs: ["ignition"],
    kinds: [...silent, ...distrust, "not-found", "unauthorized", "forbidden", "bad-request"],
  },
  { cause: "ignition-config-invalid", programs: ["ignition"], kinds: [...malformed, ...unreadable, "already-exists"] },
  { cause: "guest-agent-failed", programs: ["waagent"] },
  { cause: "guest-agent-failed", subjects: ["wireserver"], programs: ["azure"] },
  { cause: "imds-unreachable", subjects: ["metadata-service"], kinds: [...silent, ...absent, "too-many-requests"] },
  {
    cause: "outbound-connectivity-blocked",
    subjects: ["cloud-endpoint"],
    kinds: ["refused", "reset", "no-route", "timed-out"],
  },
  {
    cause: "unsupported-kubernetes-version",
    subjects: ["kubernetes-version"],
    kinds: ["version-differs"],
    programs: ["talos"],
  },
  { cause: "machine-config-invalid", programs: ["talos"], kinds: malformed },
  { cause: "machine-config-invalid", subjects: ["settings-api"], kinds: [...malformed, "bad-request"] },
  { cause: "snap-install-failed", programs: ["snap"] },
];

export const packages: readonly Meaning[] = [
  { cause: "http-download-failed", subjects: ["mirrors-unknown"] },
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
  {
    cause: "unsupported-kubernetes-version",
    subjects: ["kubernetes-version", "kubernetes-release"],
    kinds: ["version-differs", "not-supported", "unknown-option", "not-found"],
  },
  { cause: "api-server-unreachable", subjects: ["api-port"], kinds: silent, programs: ["download", "shell"] },
  { cause: "http-download-failed", programs: ["download"] },
];
