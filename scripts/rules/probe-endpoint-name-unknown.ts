import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The failed node itself asked its resolvers for the API server's name. */
export const probeEndpointNameUnknown = {
  kind: "failure",
  id: "probe-endpoint-name-unknown",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: ["probe"],
  any: [/^probe dns (?<host>\S{1,253}) via (?<resolver>\S{2,60}): (?<answer>NXDOMAIN|NODATA),/u],
  specificity: 64,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cloud-init-scripts-failed", "kubelet-not-running"],
  retryable: false,
  blame: "network",
  title: "The name of the API server does not exist for the node's resolver",
  summary: "Resolver {resolver} says that {host} does not exist ({answer})",
  explanation:
    "The node asked the resolver for the control-plane endpoint when the bootstrap failed, and was told that there is no such name. Without it no join can begin.",
  nextStep:
    "Link the private DNS zone, or correct the name: AzureCluster spec.controlPlaneEndpoint.host, spec.networkSpec.privateDNSZoneName and the DNS servers of spec.networkSpec.vnet",
  references: [
    "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
  ],
} as const satisfies Rule;
