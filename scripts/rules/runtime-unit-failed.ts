import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The end of the unit: what ended it stands in other lines. */
export const runtimeUnitFailed = {
  kind: "failure",
  id: "runtime-unit-failed",
  cause: "container-runtime-not-running",
  reason: "ContainerRuntimeNotRunning",
  platforms: ["linux"],
  stage: "runtime",
  sources: "any",
  any: [
    [
      /(?<unit>(?:containerd|crio|docker|cri-docker)\.service)/u,
      /(?<answer>Failed with result '(?:exit-code|timeout|start-limit-hit|core-dump|signal)'|Start request repeated too quickly)/u,
    ],
    /Failed to start (?:[\w.@-]{3,60} - )?(?<unit>containerd container runtime|Container Runtime Interface for OCI|Docker Application Container Engine|CRI Interface for Docker)/u,
  ],
  recoveredBy: [
    /Container runtime initialized|Successfully registered node|Started containerd|containerd successfully booted|Container runtime \S{3,20} initialized/u,
  ],
  specificity: 30,
  confidence: "medium",
  explains: ["kubelet-not-running", "join-timeout-unknown", "cni-not-ready"],
  retryable: true,
  blame: "image",
  title: "The unit of the container runtime fails",
  summary: "The runtime's unit fails: {unit|its unit}",
  explanation:
    "systemd starts the container runtime and it ends. Its own lines before that end say why; without the runtime neither images nor pods work.",
  nextStep:
    "Read the runtime's journal before its first end; an image that has a working runtime (AzureMachineTemplate spec.template.spec.image), its configuration in KubeadmConfigTemplate spec.template.spec.files",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
