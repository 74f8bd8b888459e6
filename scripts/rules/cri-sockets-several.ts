import type { Rule } from "../../handler/diagnosis/rule.ts";

export const criSocketsSeveral = {
  kind: "failure",
  id: "cri-sockets-several",
  cause: "container-runtime-not-running",
  reason: "ContainerRuntimeNotRunning",
  platforms: ["linux"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [/[Ff]ound multiple CRI (?:endpoints|sockets) on the host.{0,200}: (?<sockets>[\w:/., -]{8,200})/u],
  specificity: 88,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The machine has several container runtimes and kubeadm does not choose",
  summary: "kubeadm finds several runtime sockets: {sockets}",
  explanation:
    "Two runtimes left their sockets on the machine. kubeadm uses one only when the configuration names it, so it stops before it does anything.",
  nextStep:
    "Name the runtime's socket: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.criSocket (and initConfiguration of the KubeadmControlPlane) to the runtime that is meant, or remove the other one from the image",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
