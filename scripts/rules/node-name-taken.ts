import type { Rule } from "../../handler/diagnosis/rule.ts";

export const nodeNameTaken = {
  kind: "failure",
  id: "node-name-taken",
  cause: "node-name-conflict",
  reason: "NodeNameConflict",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /[Aa] Node with name \\*"(?<node>[^"\\]{1,253})\\*" and status \\*"Ready\\*" already exists in the cluster/u,
    // An etcd member of k3s or RKE2.
    /duplicate node name found, please use a unique name/u,
  ],
  specificity: 94,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The cluster already has a Ready node of this name",
  summary: "The name {node|of this machine} is taken by another node of the cluster",
  explanation:
    "kubeadm refuses to join under a name that another running node has, because both would act as the same node.",
  nextStep:
    "Give the machine its own name: remove a fixed KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name (use {{ ds.meta_data.local_hostname }}) or delete the stale Node object",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
} as const satisfies Rule;
