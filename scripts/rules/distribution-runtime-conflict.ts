import type { Rule } from "../../handler/diagnosis/rule.ts";

export const distributionRuntimeConflict = {
  kind: "failure",
  id: "distribution-runtime-conflict",
  cause: "container-runtime-conflict",
  reason: "ContainerRuntimeConflict",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [/[Tt]he path '?(?<path>\/\S{3,100}?)'? required for the containerd socket already exists/u],
  specificity: 92,
  confidence: "high",
  retryable: false,
  blame: "image",
  title: "Another container runtime holds the paths of the distribution",
  summary: "{path|A runtime path} is already taken by another container runtime",
  explanation: "The distribution brings its own containerd and finds a socket or folder of another one on the machine.",
  nextStep:
    "Remove the other runtime from the image (AzureMachineTemplate spec.template.spec.image) or choose another base directory",
  references: ["https://documentation.ubuntu.com/canonical-kubernetes/"],
} as const satisfies Rule;
