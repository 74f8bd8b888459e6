import type { Rule } from "../../handler/diagnosis/rule.ts";

export const microk8sHostNameNotResolved = {
  kind: "failure",
  id: "microk8s-host-name-not-resolved",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [/The hostname \((?<host>[^)\n]{1,120})\) of the joining node does not resolve/u],
  recoveredBy: [/The node has joined the cluster|Successfully joined the cluster/u],
  specificity: 92,
  confidence: "high",
  explains: ["join-timeout-unknown", "cloud-init-scripts-failed"],
  retryable: false,
  blame: "network",
  title: "The cluster cannot resolve the host name of the joining node",
  summary: "The host name {host} does not resolve to the node's address",
  explanation:
    "MicroK8s asks the control-plane node to resolve the new node's host name and refuses the join when the answer is not the address that the request came from.",
  nextStep:
    "Make the machine names resolve: private DNS zone of the network (AzureCluster spec.networkSpec.privateDNSZoneName), or write the names to /etc/hosts with MicroK8sConfigTemplate preRunCommands",
  references: ["https://microk8s.io/docs/troubleshooting"],
} as const satisfies Rule;
