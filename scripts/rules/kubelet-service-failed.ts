import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletServiceFailed = {
  kind: "failure",
  id: "kubelet-service-failed",
  cause: "kubelet-not-running",
  reason: "KubeletNotRunning",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  any: [
    /kubelet\.service: Failed with result '(?:exit-code|signal|core-dump|timeout|start-limit-hit)'/u,
    /kubelet\.service: (?:Start request repeated too quickly|Unit entered failed state)/u,
  ],
  none: [/\/var\/lib\/kubelet\/config\.yaml.{0,120}no such file/u],
  recoveredBy: [/Successfully registered node|Attempting to register node|kubelet is healthy after/u],
  minCount: 3,
  specificity: 12,
  confidence: "low",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "configuration",
  title: "The kubelet service fails again and again without a reason line",
  summary: "The kubelet service exits and is restarted, and no line says why",
  explanation:
    "systemd starts the kubelet, it exits with an error, and the lines that would name the reason are not in this log.",
  nextStep:
    "Read journalctl -u kubelet from its start; then correct KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs or the drop-ins in spec.files",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/"],
} as const satisfies Rule;
