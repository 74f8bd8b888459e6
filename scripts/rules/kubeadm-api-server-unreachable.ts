import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeadmApiServerUnreachable = {
  kind: "failure",
  id: "kubeadm-api-server-unreachable",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /couldn't validate the identity of the API Server: (?<answer>abort connecting to API servers after timeout|timed out waiting for the condition|.{0,60}client rate limiter Wait returned an error)/u,
    // The closing error, or the discovery loop before it.
    [
      /error execution phase|couldn't validate the identity|[Ff]ailed to request cluster[- ]info|[Ff]ailed to get config map|unable to fetch the kubeadm-config ConfigMap|Failed to connect to API Server/u,
      /(?:dial tcp|read tcp) .{0,60}?(?<host>[\w.:[\]-]{2,80}):(?<port>\d{2,5}): (?:(?:connect|read|getsockopt|connectex): )?(?<answer>connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|connection reset by peer|operation timed out|No connection could be made|A connection attempt failed)/u,
    ],
    [
      /error execution phase|couldn't validate the identity|[Ff]ailed to request cluster[- ]info|[Ff]ailed to get config map|Failed to connect to API Server/u,
      /https:\/\/(?<host>[^\s"\\/:]{1,253}):(?<port>\d{2,5})\/(?:api|version)/u,
      /(?<answer>: EOF|context deadline exceeded|Client\.Timeout exceeded|TLS handshake timeout|net\/http: request canceled)/u,
    ],
    [
      /Get "?https:\/\/[^\s"]{4,100}\/api\/v1\/namespaces\/kube-(?:public|system)\/configmaps/u,
      /dial tcp .{0,60}?(?<host>[\w.:[\]-]{2,80}):(?<port>\d{2,5}): (?:(?:connect|read|getsockopt|connectex): )?(?<answer>connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|connection reset by peer|operation timed out)/u,
    ],
  ],
  except: [
    /error execution phase (?:wait-control-plane|addon|upload-config)/u,
    /\[reset\]/u,
    /: lookup /u,
    // The kubelet's own port: what kubeadm waits for, not the API server.
    /(?:localhost|127\.0\.0\.1|\[::1\]):102\d\d\b/u,
    /could not fetch a Kubernetes version/u,
    // VirtualBox's own address, which is another machine on each: another cause. And etcd's ports.
    /[/ ]10\.0\.2\.15:|dial tcp .{0,60}:23(?:79|80): /u,
  ],
  recoveredBy: [/\[discovery\] Successfully (?:discovered Cluster|established connection)/u],
  specificity: 66,
  confidence: "high",
  explains: ["join-timeout-unknown", "kubelet-not-running"],
  retryable: true,
  blame: "network",
  title: "kubeadm cannot reach the API server",
  summary: "The API server {host|endpoint} port {port|6443} does not answer ({answer|time-out})",
  explanation:
    "kubeadm join needs the control-plane endpoint and gets no answer: nothing listens there, or the network drops the packets. The node cannot join until it is reachable.",
  nextStep:
    "Check the way to the API server: AzureCluster spec.networkSpec (subnets, security groups, route tables, apiServerLB) and that the host and port of Cluster spec.controlPlaneEndpoint answer from the node's subnet; refused means the API server is down",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
