import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePlatformMismatch = {
  kind: "failure",
  id: "image-platform-mismatch",
  cause: "image-os-mismatch",
  reason: "ImageOsMismatch",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    /(?<what>no matching manifest for [\w/. ]{3,60})/u,
    /(?<what>no match for platform in manifest)/u,
    /(?<what>no image found in (?:image index|manifest list) for architecture \w{2,12})/u,
    /(?<what>The container operating system does not match the host operating system|0xc0370101)/iu,
    /(?<what>exec format error)/u,
  ],
  specificity: 86,
  confidence: "high",
  explains: [
    "image-pull-failed",
    "image-pull-not-found",
    "pod-sandbox-failed",
    "hcs-container-start-failed",
    "cni-not-ready",
  ],
  retryable: false,
  blame: "configuration",
  title: "The image has no variant for this system or Windows build",
  summary: "The image does not fit this node: {what}",
  explanation: "The image is made for another operating system, architecture or Windows build.",
  nextStep:
    "Use a tag for this platform or build; keep Linux pods off Windows nodes (taints in KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration), or change AzureMachineTemplate spec.template.spec.image",
  references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
} as const satisfies Rule;
