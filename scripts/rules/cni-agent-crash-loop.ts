import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniAgentCrashLoop = {
  kind: "failure",
  id: "cni-agent-crash-loop",
  cause: "cni-install-failed",
  reason: "CniInstallFailed",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    [
      /(?<agent>calico-node|canal|cilium|antrea-agent|kube-flannel|azure-cns|weave-net|kube-router)[\w-]{0,40}/u,
      /CrashLoopBackOff|Init:Error|PostStartHookError/u,
    ],
  ],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready/u],
  minCount: 3,
  specificity: 22,
  confidence: "low",
  explains: ["cni-not-ready"],
  retryable: true,
  blame: "cluster",
  title: "The agent of the network add-on crashes again and again",
  summary: "{agent} does not stay up on this node",
  explanation:
    "The pod of the network add-on starts and ends in a loop. Until it runs, the node has no CNI configuration and stays NotReady.",
  nextStep:
    "Read the logs of that pod's containers; correct the add-on of the cluster (HelmChartProxy, ClusterResourceSet) and Cluster spec.clusterNetwork.pods",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"],
} as const satisfies Rule;
