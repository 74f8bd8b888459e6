import type { Rule } from "../../handler/diagnosis/rule.ts";

export const snapDistributionServerUnreachable = {
  kind: "failure",
  id: "snap-distribution-server-unreachable",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /(?<what>Please ensure the master node is reachable[^\n]{0,100})/u,
    // k0s: a worker asks the API server, a controller the join port 9443.
    [
      /failed to bootstrap kubelet client configuration|[Ff]ailed to (?:sync CA|get initial kubelet config)|CA sync failed/u,
      /(?<what>i\/o timeout|connection refused|no route to host|network is unreachable|context deadline exceeded|TLS handshake timeout)/u,
    ],
    /(?<what>Connecting to cluster failed with [^\n]{5,160})/u,
    [
      /k8sd|join attempts were unsuccessful/u,
      /Last error: .{0,120}(?<what>TLS handshake timeout|i\/o timeout|connection refused|no route to host|context deadline exceeded)/u,
    ],
  ],
  recoveredBy: [
    /The node has joined the cluster|Successfully joined the cluster|Successfully registered node|Successfully bootstrapped kubelet/u,
  ],
  specificity: 64,
  confidence: "high",
  explains: ["join-timeout-unknown", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "network",
  title: "The joining node cannot reach the cluster's join port",
  summary: "The join port does not answer: {what}",
  explanation:
    "MicroK8s joins over port 25000, Canonical Kubernetes over 6400 and k0s over 6443 and 9443 of a control-plane node. Nothing answers there, or the packets are dropped.",
  nextStep:
    "Open the join port: 25000 (MicroK8s), 6400 (Canonical Kubernetes), 6443 and 9443 (k0s) between the nodes in AzureCluster spec.networkSpec.subnets securityGroup, and check that a control-plane node runs",
  references: ["https://microk8s.io/docs/services-and-ports"],
} as const satisfies Rule;
