import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightOtherError = {
  kind: "failure",
  id: "preflight-other-error",
  cause: "preflight-other",
  reason: "PreflightOther",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [/\[ERROR (?<check>[A-Z][\w-]{2,80})\]: (?<what>[^\n]{3,120})/u],
  except: [
    /\[ERROR (?:Swap|Port-|FileContent|FileExisting|FileAvailable|DirAvailable|NumCPU|Mem\]|SystemVerification\]: (?!unsupported graph|docker version|[^\n]{0,80}docker info)|CRI\]|ImagePull|KubeletVersion|KubernetesVersion|Hostname|ExternalEtcdVersion\]: Get)/u,
  ],
  specificity: 40,
  confidence: "medium",
  retryable: false,
  blame: "configuration",
  title: "A preflight check of kubeadm failed",
  summary: "The preflight check {check} failed: {what}",
  explanation: "kubeadm checks the machine before it begins and found this error. No narrower rule knows the check.",
  nextStep:
    "Correct what the check names: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or KubeadmConfigTemplate spec.template.spec.files; ignore it on purpose only with nodeRegistration.ignorePreflightErrors",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
