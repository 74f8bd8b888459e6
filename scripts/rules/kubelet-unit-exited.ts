import type { Rule } from "../../handler/diagnosis/rule.ts";

/** What systemctl status shows of a kubelet that ended: a state, never a reason. */
export const kubeletUnitExited = {
  kind: "failure",
  id: "kubelet-unit-exited",
  cause: "kubelet-not-running",
  reason: "KubeletNotRunning",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  any: [
    [/Process: \d{1,8} ExecStart=\S{0,40}\/kubelet\b/u, /code=exited, status=(?<status>[1-9]\d{0,2})/u],
    [/Process: \d{1,8} ExecStart=\S{0,40}\/kubelet\b/u, /code=(?:killed|dumped), signal=(?<status>[A-Z]{3,8})/u],
    // So many starts have many ends behind them.
    /kubelet\.service: Scheduled restart job, restart counter is at (?:[6-9]|[1-9]\d{1,4})\b/u,
  ],
  none: [/\/var\/lib\/kubelet\/config\.yaml.{0,120}no such file/u],
  recoveredBy: [/Successfully registered node|Attempting to register node|kubelet is healthy after/u],
  specificity: 12,
  confidence: "low",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "configuration",
  title: "The kubelet service has ended and its state does not say why",
  summary: "The kubelet exited with status {status|unknown} and no line says why",
  explanation:
    "systemd reports that the kubelet process ended with an error. The lines that would name the reason are not in this log.",
  nextStep:
    "Read journalctl -u kubelet from its start; then correct KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs or the drop-ins in spec.files",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/"],
} as const satisfies Rule;
