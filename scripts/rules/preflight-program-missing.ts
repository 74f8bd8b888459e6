import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightProgramMissing = {
  kind: "failure",
  id: "preflight-program-missing",
  cause: "preflight-binary-missing",
  reason: "PreflightBinaryMissing",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /\[ERROR FileExisting-(?<program>[\w.-]{1,40})\]/u,
    // Before it had marks, kubeadm listed its errors in lines of their own; a warning stood beside its word.
    /^\s{2,12}(?<program>[\w.-]{2,40}) not found in system path\s*$/u,
  ],
  specificity: 80,
  confidence: "high",
  retryable: false,
  blame: "image",
  title: "A program that kubeadm needs is not installed",
  summary: "{program} is not installed",
  explanation:
    "kubeadm looks for this program in the system path and does not find it. The image or the package list lacks it.",
  nextStep:
    "Install the package: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or in the image (AzureMachineTemplate spec.template.spec.image); mind that sudo uses its own PATH",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
