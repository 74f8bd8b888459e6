import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniAgentEnded = {
  kind: "failure",
  id: "cni-agent-ended",
  cause: "cni-install-failed",
  reason: "CniInstallFailed",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    [
      /(?:antrea-agent|calico-node|calico|flanneld|cilium-agent|azure-vnet|install-cni|kube-flannel|weave)/iu,
      /(?<what>(?:level=fatal|\[FATAL\]|F\d{4} )[^\n]{0,100}|failed to install CNI[^\n]{0,60})/u,
    ],
    [/level=fatal msg=\\*"(?<what>[^"\\]{5,120})/u, /subsys=/u],
    /(?<what>Calico node failed to start)/u,
  ],
  except: [
    // The Service network, not the agent.
    /https:\/\/\[?(?:10\.\d{1,3}\.0\.1|172\.\d{1,3}\.0\.1|10\.152\.183\.1)\]?:443\/.{0,300}(?:timeout|no route to host|connection refused|unreachable|deadline exceeded)/u,
    // A parameter of the kernel, and the kernel, whatever the agent.
    /net\.ipv4\.conf\.all\.rp_filter/u,
    /(?:needs|requires?) (?:a )?kernel (?:version )?(?:>= ?)?\d|minimal supported kernel/iu,
    // A distribution that refuses the name of an add-on.
    /unsupported CNI/iu,
  ],
  recoveredBy: [/Calico node started successfully|Daemon initialization completed|just became ready/u],
  specificity: 30,
  confidence: "low",
  explains: ["cni-not-ready", "pod-sandbox-failed"],
  retryable: true,
  blame: "cluster",
  title: "The agent or installer of the network add-on ended on the node",
  summary: "The agent of the network add-on ended: {what}",
  explanation:
    "The add-on cannot write its programs or configuration, or its agent ends with an error. The node stays NotReady.",
  nextStep:
    "Read the agent's log from its first line; correct the add-on of the cluster (HelmChartProxy, ClusterResourceSet) and its ranges (Cluster spec.clusterNetwork.pods)",
  references: ["https://kubernetes.io/docs/concepts/cluster-administration/addons/"],
} as const satisfies Rule;
