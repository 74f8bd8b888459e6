import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The controllers' log: a node whose name the cloud does not know is taken away again. */
export const nodeUnknownToItsCloud = {
  kind: "failure",
  id: "node-unknown-to-its-cloud",
  cause: "hostname-invalid-or-mismatch",
  reason: "HostnameInvalidOrMismatch",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  any: [
    /Deleting node \(no longer present in cloud provider\): (?<node>[\w.-]{1,253})/u,
    /deleting node since it is no longer present in cloud provider: "?(?<node>[\w.-]{1,253})/u,
  ],
  specificity: 62,
  confidence: "medium",
  explains: ["join-timeout-unknown", "cni-not-ready"],
  retryable: false,
  blame: "configuration",
  title: "The cloud does not know the node by its name, so it is taken away",
  summary: "The node {node} is taken away: its cloud knows no instance of this name",
  explanation:
    "The node registered under a name that the cloud provider cannot find, mostly the short host name where the cloud has another. The node controller removes such nodes.",
  nextStep:
    'Register the node under the cloud\'s name: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name ({{ ds.meta_data["local_hostname"] }}); if the instance was removed on purpose, nothing is wrong',
  references: ["https://kubernetes.io/docs/concepts/architecture/cloud-controller/"],
} as const satisfies Rule;
