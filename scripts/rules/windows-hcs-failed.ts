import type { Rule } from "../../handler/diagnosis/rule.ts";

export const windowsHcsFailed = {
  kind: "failure",
  id: "windows-hcs-failed",
  cause: "hcs-container-start-failed",
  reason: "HcsContainerStartFailed",
  platforms: ["windows"],
  stage: "runtime",
  sources: "any",
  any: [
    /hcs(?:shim)?::(?:CreateComputeSystem|System::(?:Start|Create\w{0,20}))(?: [\w.-]{1,80})?: (?<what>[^\n"\\]{8,100})/u,
    /encountered an error during (?:hcs(?:shim)?::)?(?:System::)?(?:Start|Create\w{5,20}): failure in a Windows system call: (?<what>[^\n"\\]{8,100})/u,
  ],
  except: [/does not match the host operating system|0xc0370101/iu],
  specificity: 80,
  confidence: "high",
  explains: ["pod-sandbox-failed", "cni-not-ready"],
  retryable: false,
  blame: "image",
  title: "The Windows Host Compute Service refuses to start the container",
  summary: "HCS failed: {what}",
  explanation: "The compute service cannot create or start the container or its sandbox although the image is there.",
  nextStep:
    "Check the Windows build of the image (AzureMachineTemplate spec.template.spec.image), the Containers feature and the mounts of the container",
  references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
} as const satisfies Rule;
