import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightTooSmall = {
  kind: "failure",
  id: "preflight-too-small",
  cause: "preflight-insufficient-resources",
  reason: "PreflightInsufficientResources",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [/\[ERROR NumCPU\]: (?<what>[^\n]{5,120})/u, /\[ERROR Mem\]: (?<what>[^\n]{5,120})/u],
  specificity: 80,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The machine has too few CPUs or too little memory",
  summary: "The machine is too small: {what}",
  explanation: "kubeadm asks for two CPUs and about 1700 MB of memory on a control-plane node. The VM size has less.",
  nextStep:
    "Choose a larger size: AzureMachineTemplate spec.template.spec.vmSize; ignore the check only for tests (nodeRegistration.ignorePreflightErrors)",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
