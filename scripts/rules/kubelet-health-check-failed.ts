import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletHealthCheckFailed = {
  kind: "failure",
  id: "kubelet-health-check-failed",
  cause: "kubelet-not-running",
  reason: "KubeletNotRunning",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    [/The HTTP call equal to 'curl -sSL http:\/\/(?:localhost|127\.0\.0\.1):10248\/healthz'/u, /connection refused/u],
    /The kubelet is not healthy after/u,
    /[Tt]he kubelet isn't running or healthy/u,
  ],
  recoveredBy: [/All control plane components are healthy after|The kubelet is healthy after/u],
  specificity: 24,
  confidence: "medium",
  explains: ["join-timeout-unknown", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "configuration",
  title: "The kubelet is not running and the log does not show why",
  summary: "The kubelet does not answer on its health port",
  explanation:
    "kubeadm asks the kubelet for its health and nobody answers: it is stopped, crashes at its start, or is not enabled.",
  nextStep:
    "Read journalctl -u kubelet from its start; then correct KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs or the drop-ins in spec.files",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
