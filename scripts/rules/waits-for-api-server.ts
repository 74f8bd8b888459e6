import type { Rule } from "../../handler/diagnosis/rule.ts";

export const waitsForApiServer = {
  kind: "failure",
  id: "waits-for-api-server",
  cause: "join-timeout-unknown",
  reason: "BootstrapTimedOut",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [/[Ww]aiting for (?:the )?(?:[Kk]ubernetes )?API ?[Ss]erver to (?:become|be|respond|come|start|answer)/u],
  recoveredBy: [
    /(?:k3s|rke2|k3s agent) is up and running|initialized successfully|This node has joined the cluster|Successfully registered node/u,
    /event="NodeReady"|just became ready|Node became ready|Done! kubectl is now configured/u,
  ],
  none: [/[Pp]ulling (?:image|runtime)/u],
  // Each of the first minutes has some.
  minCount: 8,
  minSeconds: 120,
  specificity: 6,
  confidence: "low",
  retryable: true,
  blame: "cluster",
  title: "A program waits for the API server over and over, and the log does not show why",
  summary: "The API server does not come up: a program has waited for it over and over",
  explanation:
    "What waits only asks. Why the API server does not answer is said in its own log, or in that of the kubelet or the runtime that should have started it.",
  nextStep:
    "Read crictl ps -a, and crictl logs of kube-apiserver and etcd, on the control-plane node; then correct the server's configuration (KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration or the serverConfig of RKE2ControlPlane)",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-cluster/"],
} as const satisfies Rule;
