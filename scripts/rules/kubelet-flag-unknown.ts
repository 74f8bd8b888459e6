import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletFlagUnknown = {
  kind: "failure",
  id: "kubelet-flag-unknown",
  cause: "kubelet-config-invalid",
  reason: "KubeletConfigInvalid",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [/failed to parse kubelet flag|kubelet|run\.go/iu, /unknown (?:shorthand )?flag: (?<flag>[^\s"\\]{1,80})/u],
    [
      /failed to (?:parse|validate) kubelet (?:flag|configuration)|invalid kubelet flag/u,
      /(?<flag>--[a-z][\w-]{2,60})|invalid/u,
    ],
  ],
  // The first process of a container is a part of the control plane.
  except: [/kubectl|helm|kube-(?:apiserver|controller-manager|scheduler|proxy)|[\d.] {1,8}1 run\.go/u],
  specificity: 88,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The kubelet refuses a flag",
  summary: "The kubelet does not know {flag|a flag}",
  explanation:
    "A flag was misspelled or removed in this version, so the kubelet exits at once and systemd restarts it for ever.",
  nextStep:
    "Remove the flag: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs (and from drop-ins in spec.files)",
  references: ["https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/"],
} as const satisfies Rule;
