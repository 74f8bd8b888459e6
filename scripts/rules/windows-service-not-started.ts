import type { Rule } from "../../handler/diagnosis/rule.ts";

export const windowsServiceNotStarted = {
  kind: "failure",
  id: "windows-service-not-started",
  cause: "windows-service-start-failed",
  reason: "WindowsServiceStartFailed",
  platforms: ["windows", "linux"],
  stage: "runtime",
  sources: "any",
  any: [
    /Failed to start service '(?<service>[^'\n]{1,80})'/u,
    /The (?<service>kubelet|containerd|docker[\w ]{0,20}|kube-proxy|wins|rke2|rancher-wins) service (?:failed to start|terminated unexpectedly|terminated with)/iu,
    /(?<service>StartService FAILED \d{3,5})/u,
  ],
  recoveredBy: [
    /The (?:kubelet|containerd|docker[\w ]{0,20}|kube-proxy|wins|rke2|rancher-wins) service entered the running state/iu,
  ],
  specificity: 22,
  confidence: "low",
  retryable: true,
  blame: "image",
  title: "A Windows service cannot be started and no reason is in the log",
  summary: "The service {service} does not start",
  explanation: "Windows could not start a service that the node needs. Its own log or the event log holds the reason.",
  nextStep:
    "Read its log and the System event log; correct its arguments in KubeadmConfigTemplate spec.template.spec.files or preKubeadmCommands",
  references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
} as const satisfies Rule;
