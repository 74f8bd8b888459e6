import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletConfigNotWritten = {
  kind: "failure",
  id: "kubelet-config-not-written",
  cause: "kubeadm-not-run",
  reason: "KubeadmNotRun",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /[Kk]ubelet config file|failed to load kubelet|open \/var\/lib/u,
      /\/var\/lib\/kubelet\/config\.yaml.{0,80}(?:no such file|cannot find)/u,
    ],
  ],
  recoveredBy: [/Successfully registered node|"Kubelet version"|Attempting to register node/u],
  minCount: 2,
  specificity: 6,
  confidence: "low",
  retryable: true,
  blame: "configuration",
  title: "The kubelet waits for a configuration that kubeadm has not written",
  summary: "The kubelet has no config.yaml: kubeadm has not run or failed before",
  explanation:
    "The kubelet restarts in a loop because /var/lib/kubelet/config.yaml does not exist. kubeadm init or join writes it, and it has not come that far.",
  nextStep:
    "Find out why kubeadm did not run: read cloud-init-output.log, check the bootstrap data secret and KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/"],
} as const satisfies Rule;
