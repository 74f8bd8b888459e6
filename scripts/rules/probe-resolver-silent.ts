import type { Rule } from "../../handler/diagnosis/rule.ts";

/** A resolver that gives no answer, told apart from one that answers "no such name". */
export const probeResolverSilent = {
  kind: "failure",
  id: "probe-resolver-silent",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: ["probe"],
  any: [
    /^probe dns (?<host>\S{1,253}) via (?<resolver>\S{2,60}): (?<answer>timeout|unreachable|SERVFAIL|REFUSED)(?: after|,)/u,
  ],
  specificity: 62,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cloud-init-scripts-failed", "kubelet-not-running"],
  retryable: true,
  blame: "network",
  title: "The node's resolver does not answer for the name of the API server",
  summary: "Resolver {resolver} gave no address for {host}: {answer}",
  explanation:
    "The node asked its resolver for the control-plane endpoint when the bootstrap failed. The resolver did not answer, or could not find out, so no name can be resolved through it.",
  nextStep:
    "Correct the DNS servers of the virtual network (AzureCluster spec.networkSpec.vnet) and let UDP and TCP port 53 pass in spec.networkSpec.subnets securityGroup; or use Azure's resolver 168.63.129.16",
  references: [
    "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
  ],
} as const satisfies Rule;
