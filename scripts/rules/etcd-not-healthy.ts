import type { Rule } from "../../handler/diagnosis/rule.ts";

export const etcdNotHealthy = {
  kind: "failure",
  id: "etcd-not-healthy",
  cause: "etcd-unhealthy",
  reason: "EtcdUnhealthy",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /etcd cluster is not healthy: (?<what>failed to dial endpoint|context deadline exceeded)?(?: (?<endpoint>https?:\/\/\S{3,120}))?/u,
    // The phase asks the API server first who is in etcd's list.
    /error execution phase check-etcd: (?!Get "?https:\/\/\S{1,300}\/api\/)(?<what>[^\n]{5,120})/u,
    /etcdserver: (?<what>request timed out|no leader)/u,
    /(?<what>Error creating leases: error creating storage factory: context deadline exceeded)/u,
    [
      /Unable to create storage backend/u,
      /(?<what>context deadline exceeded|dial tcp \S{3,80}:2379: connect: connection refused)/u,
    ],
    // etcdctl's answer of each member.
    /^(?<endpoint>[\w.:/[\]-]{3,120}) is unhealthy: (?<what>failed to (?:connect|commit proposal): [^\n]{5,80})/u,
    /etcdserver: (?<what>mvcc: database space exceeded)/u,
    /(?<what>rafthttp: failed to reach the peer URL|lost leader)/u,
    [
      /etcd|:2379/u,
      /(?<what>failed to dial endpoint|health check for peer \S{1,40} could not connect)/u,
      /(?<endpoint>https?:\/\/[^\s",]{3,120})|peer/u,
    ],
  ],
  except: [
    /unhealthy cluster|too many learner/u,
    // The API server was asked for the pods of etcd.
    /https:\/\/[^\s"\\]{3,300}\/api\/v1\//u,
    // VirtualBox's own address, which is another machine on each: another cause.
    /\b10\.0\.2\.15:\d/u,
  ],
  minCount: 1,
  specificity: 70,
  confidence: "high",
  explains: ["join-timeout-unknown", "control-plane-component-crash", "api-server-unreachable"],
  retryable: true,
  blame: "control-plane",
  title: "etcd does not answer or has no quorum",
  summary: "etcd is not healthy ({what|no answer}, {endpoint|an endpoint})",
  explanation:
    "A member of the etcd list does not answer. A member that is gone but still listed keeps new control-plane nodes out and can cost the quorum.",
  nextStep:
    "Remove the stale member on a healthy node (KubeadmControlPlane does so for Machines that it deletes); check ports 2379 and 2380 in AzureCluster spec.networkSpec and the disk of etcd",
  references: ["https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/"],
} as const satisfies Rule;
