import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The terminal's key stands behind kubeadm's last step; `pasted-text.ts` puts both in one line. */
export const kubeadmWaitEndedByHand = {
  kind: "failure",
  id: "kubeadm-wait-ended-by-hand",
  cause: "join-timeout-unknown",
  reason: "BootstrapTimedOut",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /(?<step>requesting info from|Trying to connect to API Server|perform the TLS Bootstrap|[Ww]aiting for the (?:control plane|kubelet)|take a minute|take around a minute|can take up to).{0,160}\(ended by hand\)$/u,
  ],
  recoveredBy: [/initialized successfully|This node has joined the cluster|Successfully registered node/u],
  specificity: 6,
  confidence: "low",
  explains: ["cloud-init-scripts-failed"],
  retryable: true,
  blame: "cluster",
  title: "kubeadm waited until somebody ended it, and the log does not show why",
  summary: "kubeadm waited until somebody ended it",
  explanation: "What kubeadm waits for did not come as long as somebody watched. Its own log holds the reason.",
  nextStep:
    "Read journalctl -u kubelet and crictl ps -a on the node and try the endpoint's port from it; then correct KubeadmConfig spec.initConfiguration or spec.joinConfiguration",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
