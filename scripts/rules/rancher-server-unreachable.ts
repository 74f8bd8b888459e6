import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherServerUnreachable = {
  kind: "failure",
  id: "rancher-server-unreachable",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [
    [
      /(?:failed to get CA certs|\/cacerts\\*"|Failed to validate connection to cluster|failed to retrieve configuration from server|[Ff]ailed to (?:validate token|request .{0,20}cacerts)|Error encountered while connecting to server|server is not ready)/u,
      /https:\/\/(?<host>[^\s"\\/]{3,260})|CA certs|server/u,
      /(?<answer>connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|connection reset by peer|context deadline exceeded|Client\.Timeout exceeded|: EOF|TLS handshake timeout)/u,
    ],
    [
      /(?:Failed to connect to proxy|Remotedialer proxy error)/u,
      /dial tcp (?<host>[\w.:[\]-]{3,80}): (?:connect: )?(?<answer>no route to host|network is unreachable)/u,
    ],
  ],
  recoveredBy: [
    /Remotedialer connected to proxy|Started (?:[\w.@-]{3,60} - )?(?:Lightweight Kubernetes|Rancher Kubernetes Engine)|Running kubelet |Running containerd |Logging containerd to |Using private registry config file /u,
  ],
  specificity: 64,
  confidence: "high",
  explains: ["join-timeout-unknown", "cni-not-ready"],
  retryable: true,
  blame: "network",
  title: "The k3s or RKE2 server does not answer",
  summary: "The server {host|given to the node} does not answer ({answer})",
  explanation:
    "The agent or further server asks the first server for certificates and configuration and gets no answer. Without them nothing starts on this node.",
  nextStep:
    "Make the endpoint reachable from the node: Cluster spec.controlPlaneEndpoint, ports 6443 and 9345 in AzureCluster spec.networkSpec security groups, and the server address in RKE2ConfigTemplate or KThreesConfigTemplate",
  references: ["https://docs.k3s.io/installation/requirements"],
} as const satisfies Rule;
