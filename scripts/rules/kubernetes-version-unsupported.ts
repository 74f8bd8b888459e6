import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubernetesVersionUnsupported = {
  kind: "failure",
  id: "kubernetes-version-unsupported",
  cause: "unsupported-kubernetes-version",
  reason: "UnsupportedKubernetesVersion",
  platforms: ["linux", "windows"],
  stage: "kubeadm-init",
  sources: "any",
  any: [
    /this version of kubeadm only supports deploying clusters with the control plane version >= \S{3,20}\. Current version: (?<wanted>v?[\w.+-]{3,40})/u,
    /kubeadm only supports deploying clusters with the control plane version/u,
    /\[ERROR KubernetesVersion\]/u,
    /version \\*"(?<wanted>[^"\\]{1,60})\\*" doesn't match patterns for neither semantic version nor labels/u,
    /Specified version to upgrade to \\*"(?<wanted>[^"\\]{1,60})\\*" is (?:too|higher|lower)/u,
    /The current release of Kubespray only supports? newer version of Kubernetes than/u,
    /couldn't parse Kubernetes version \\*"(?<wanted>[^"\\]{1,60})/u,
  ],
  specificity: 90,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "This kubeadm cannot install the version asked for",
  summary: "kubeadm cannot deploy version {wanted|asked for}",
  explanation:
    "kubeadm supports its own minor version and the one before. The version of the cluster lies outside, or is no version at all.",
  nextStep:
    "Match version and image: KubeadmControlPlane spec.version and MachineDeployment spec.template.spec.version to the kubeadm of the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://kubernetes.io/releases/version-skew-policy/"],
} as const satisfies Rule;
