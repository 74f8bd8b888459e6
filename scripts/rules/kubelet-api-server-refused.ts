import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletApiServerRefused = {
  kind: "failure",
  id: "kubelet-api-server-refused",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*|Error updating node status|Failed to ensure lease exists|[Ff]ailed to contact API server|nodes have not yet been read|Unable to write event|certificate signing request:|requesting a signed certificate)/u,
      /dial tcp .{0,60}?(?<host>[\w.:[\]-]{2,80}):(?<port>\d{2,5}): (?:(?:connect|getsockopt|connectex): )?(?<answer>connection refused|connection reset by peer|No connection could be made)/u,
    ],
  ],
  // An address that nobody filled in, and a port beside the usual one: another cause.
  except: [/https?:\/\/(?:0\.0\.0\.0|\[::\])?:\d{2,5}\//u, /https:\/\/[^\s"\\/]{1,253}:6(?!44[345]\/)\d{3}\/api/u],
  none: [/error execution phase wait-control-plane/u],
  recoveredBy: [/Successfully registered node/u, /Node became ready|event="NodeReady"/u],
  minCount: 4,
  minSeconds: 5,
  specificity: 40,
  confidence: "medium",
  explains: ["cni-not-ready", "join-timeout-unknown"],
  retryable: true,
  blame: "network",
  title: "The API server refuses the connections of the kubelet",
  summary: "The API server {host|endpoint} port {port|6443} does not answer the kubelet ({answer})",
  explanation:
    "The kubelet runs but every request to the control-plane endpoint fails, so the node does not register and gets no pods.",
  nextStep:
    "Check the way to the API server: AzureCluster spec.networkSpec (subnets, security groups, route tables, apiServerLB) and that the API server behind Cluster spec.controlPlaneEndpoint is up; test its port from the node",
  references: ["https://kubernetes.io/docs/reference/networking/ports-and-protocols/"],
} as const satisfies Rule;
