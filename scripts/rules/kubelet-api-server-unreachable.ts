import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletApiServerUnreachable = {
  kind: "failure",
  id: "kubelet-api-server-unreachable",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*|Error updating node status|Failed to ensure lease exists|[Ff]ailed to contact API server|nodes have not yet been read|Unable to write event|certificate signing request:|requesting a signed certificate)/u,
      /dial tcp .{0,60}?(?<host>[\w.:[\]-]{2,80}):(?<port>\d{2,5}): (?:(?:connect|getsockopt|connectex): )?(?<answer>i\/o timeout|no route to host|network is unreachable|connection timed out|operation timed out|A connection attempt failed)/u,
    ],
  ],
  // The Service network's first address: what pods use, not the kubelet.
  except: [/https:\/\/(?:10\.\d{1,3}\.0\.1|172\.\d{1,2}\.0\.1|10\.152\.183\.1):443\//u],
  recoveredBy: [/Successfully registered node/u, /Node became ready|event="NodeReady"/u],
  minCount: 3,
  specificity: 46,
  confidence: "medium",
  explains: ["cni-not-ready", "join-timeout-unknown"],
  retryable: true,
  blame: "network",
  title: "The kubelet cannot reach the API server",
  summary: "The API server {host|endpoint} port {port|6443} does not answer the kubelet ({answer})",
  explanation:
    "The kubelet runs but every request to the control-plane endpoint fails, so the node does not register and gets no pods.",
  nextStep:
    "Check the way to the API server: AzureCluster spec.networkSpec (subnets, security groups, route tables, apiServerLB) and that the API server behind Cluster spec.controlPlaneEndpoint is up; test its port from the node",
  references: ["https://kubernetes.io/docs/reference/networking/ports-and-protocols/"],
} as const satisfies Rule;
