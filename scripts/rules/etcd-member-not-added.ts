import type { Rule } from "../../handler/diagnosis/rule.ts";

export const etcdMemberNotAdded = {
  kind: "failure",
  id: "etcd-member-not-added",
  cause: "etcd-member-add-failed",
  reason: "EtcdMemberAddFailed",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /(?<what>can only promote a learner member which is in sync with leader)/u,
    /(?:failed to add etcd member|error creating local etcd static pod manifest file): ?(?<what>[^\n]{5,120})/u,
    /etcdserver: (?<what>unhealthy cluster|too many learner members in cluster|Peer URLs already exists|member ID already exist|re-configuration failed due to not enough started members)/u,
    /(?<what>failed to get cluster response)\b.{0,120}\/members\\*": EOF/u,
    /(?<what>error validating peerURLs|member \w{1,20} has already been bootstrapped)/u,
    /(?<what>error adding etcd member|Failed to join etcd cluster|etcd cluster join failed|failed to (?:add|promote) (?:etcd )?member)/u,
  ],
  // The API server was asked for the pods of etcd.
  except: [/https:\/\/[^\s"\\]{3,300}\/api\/v1\//u],
  // kubeadm announces a member that was added, and marks the node when its etcd has joined.
  recoveredBy: [
    /Announced new etcd member|was promoted as a voting member|learner was promoted|\[mark-control-plane\] Marking the node/u,
  ],
  specificity: 78,
  confidence: "high",
  explains: ["etcd-unhealthy", "join-timeout-unknown"],
  retryable: true,
  blame: "control-plane",
  title: "The etcd member of this node cannot be added or promoted",
  summary: "The etcd member cannot be added ({what})",
  explanation:
    "A new control-plane node becomes a learner and is promoted when it has caught up. The cluster refuses to add or to promote it.",
  nextStep:
    "Let the Machine be replaced once; if it comes again check the log of the etcd container, ports 2379 and 2380 (AzureCluster spec.networkSpec) and the etcd certificates",
  references: ["https://etcd.io/docs/v3.5/learning/design-learner/"],
} as const satisfies Rule;
