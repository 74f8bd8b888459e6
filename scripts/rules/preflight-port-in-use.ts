import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightPortInUse = {
  kind: "failure",
  id: "preflight-port-in-use",
  cause: "port-in-use",
  reason: "PortInUse",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /\[ERROR Port-(?<port>\d{1,5})\]/u,
    [
      /(?:kubelet|kube-|etcd|k3s|rke2|level=fatal|level=error|server\.go|run\.go|[Ff]ailed to (?:listen|run|start|create))/u,
      /listen tcp[46]? \S{0,60}:(?<port>\d{2,5}): bind: (?:address already in use|Only one usage)/u,
    ],
  ],
  specificity: 70,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "control-plane-component-crash", "api-server-unreachable"],
  retryable: false,
  blame: "image",
  title: "A port that the node needs is taken",
  summary: "Port {port} is already in use",
  explanation:
    "Another process listens on a port of the kubelet, the API server or etcd, so the component cannot start.",
  nextStep:
    "Find its owner with ss -ltnp and stop it: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or take an image without it: AzureMachineTemplate spec.template.spec.image",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
