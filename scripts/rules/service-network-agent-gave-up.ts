import type { Rule } from "../../handler/diagnosis/rule.ts";

export const serviceNetworkAgentGaveUp = {
  kind: "failure",
  id: "service-network-agent-gave-up",
  cause: "service-network-unreachable",
  reason: "ServiceNetworkUnreachable",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    [
      /level=fatal|\[FATAL\]|F\d{4} |Failed to create SubnetManager|panic: |[Ee]rror running agent|[Ss]tart hook failed|Unable to contact k8s api-server/u,
      /https:\/\/\[?(?<address>10\.\d{1,3}\.0\.1|172\.\d{1,3}\.0\.1|10\.152\.183\.1)\]?:443\//u,
      /i\/o timeout|no route to host|connection refused|connectex: |deadline exceeded|TLS handshake timeout|network is unreachable/u,
    ],
  ],
  recoveredBy: [/just became ready|event="NodeReady"|Connected to apiserver|Node controller sync successful/u],
  specificity: 62,
  confidence: "medium",
  explains: ["cni-not-ready", "pod-sandbox-failed", "cni-install-failed"],
  retryable: true,
  blame: "cluster",
  title: "The network agent gave up on the Service address of the API server",
  summary: "The network agent ended: Service address {address} does not answer",
  explanation:
    "The agent of the network add-on reaches the API server through its Service address. Nothing programs that address on this node: kube-proxy is missing or failing, or its range overlaps with the network.",
  nextStep:
    "Check kube-proxy and the address ranges: Cluster spec.clusterNetwork services and pods do not overlap with AzureCluster spec.networkSpec.vnet.cidrBlocks",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"],
} as const satisfies Rule;
