import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletVersionTooNew = {
  kind: "failure",
  id: "kubelet-version-too-new",
  cause: "kubelet-version-skew",
  reason: "KubeletVersionSkew",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /[Tt]he kubelet version is higher than the control plane version.{0,120}[Kk]ubelet version: \\*"?(?<kubelet>[\w.+-]{3,40})\\*"?.{0,40}[Cc]ontrol plane version: \\*"?(?<control>[\w.+-]{3,40})/u,
    [
      /configmaps \\*"kubelet-config(?:-1\.\d{1,2})?\\*" (?:is forbidden|not found)/u,
      /error execution phase|system:bootstrap/u,
    ],
    [/Failed to initialize CSINode/u, /could not find the requested resource/u],
    /\[ERROR KubeletVersion\]: [^\n]{5,200}/u,
  ],
  // The kubelet does not tell its version: it is not there, or does not run.
  except: [/couldn't get kubelet version/u],
  specificity: 80,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "kubelet, kubeadm and control plane versions do not fit",
  summary: "The kubelet ({kubelet|newer}) is newer than the control plane ({control|older})",
  explanation:
    "A kubelet may be older than the API server but never newer. The image or the package list holds another version than the cluster runs.",
  nextStep:
    "Use an image of the cluster's version (AzureMachineTemplate spec.template.spec.image) to MachineDeployment spec.template.spec.version and pin the package versions in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/releases/version-skew-policy/"],
} as const satisfies Rule;
