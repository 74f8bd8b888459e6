import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightSwap = {
  kind: "failure",
  id: "preflight-swap",
  cause: "swap-enabled",
  reason: "SwapEnabled",
  platforms: ["linux"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /\[ERROR Swap\]/u,
    /(?:failed to run Kubelet|command failed|Failed to run kubelet).{0,80}[Rr]unning with swap on is not supported/u,
    /[Rr]unning with [Ss]wap on is not supported[.,] [Pp]lease disable swap/u,
  ],
  except: [/\[WARNING Swap\]|\[preflight\] WARNING|swap will be/u],
  specificity: 80,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "image",
  title: "Swap is on and kubeadm or the kubelet refuses it",
  summary: "Swap is on and the kubelet refuses to run with it",
  explanation:
    "The kubelet does not start while swap is active unless it is configured for swap. The image or a mount entry switches swap on.",
  nextStep:
    "Switch swap off: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands (swapoff -a and comment it out of /etc/fstab), or remove swap from the image: AzureMachineTemplate spec.template.spec.image and diskSetup",
  references: ["https://kubernetes.io/docs/concepts/architecture/nodes/#swap-memory"],
} as const satisfies Rule;
