import type { Rule } from "../../handler/diagnosis/rule.ts";

export const serviceNetworkNoAnswer = {
  kind: "failure",
  id: "service-network-no-answer",
  cause: "service-network-unreachable",
  reason: "ServiceNetworkUnreachable",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /https:\/\/\[?(?<address>10\.\d{1,3}\.0\.1|172\.\d{1,3}\.0\.1|10\.152\.183\.1)\]?:443\/.{0,300}(?:i\/o timeout|no route to host|connection refused|network is unreachable|connectex: |deadline exceeded|TLS handshake timeout)/u,
  ],
  minCount: 3,
  minSeconds: 60,
  specificity: 56,
  confidence: "medium",
  explains: ["cni-not-ready", "pod-sandbox-failed", "cni-install-failed"],
  retryable: true,
  blame: "cluster",
  title: "The Service address of the API server is not reachable on the node",
  summary: "The Service address {address} does not answer on this node",
  explanation:
    "Pods reach the API server through its Service address. Nothing programs that address on this node: kube-proxy is missing or failing, or its range overlaps with the network.",
  nextStep:
    "Check kube-proxy and the address ranges: Cluster spec.clusterNetwork services and pods do not overlap with AzureCluster spec.networkSpec.vnet.cidrBlocks",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"],
} as const satisfies Rule;
