import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniAgentFailed = {
  kind: "failure",
  id: "cni-agent-failed",
  cause: "cni-install-failed",
  reason: "CniInstallFailed",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /(?<what>WINDOWS_CSE_ERROR_(?!DOWNLOAD)\w{0,40}(?:CNI|CALICO|CILIUM|HNS_MODULE|NETWORK_ADAPTER|MANAGEMENT_IP)\w{0,40})/u,
    /(?<what>Error registering network: [^\n]{5,120}|Couldn't fetch network config[^\n]{0,60}|node "\S{1,120}" pod cidr not assigned)/iu,
    /(?<what>Unable to create token for CNI kubeconfig)/u,
    // antrea, flannel, cilium and calico in their own words.
    /F\d{4} .{10,60}\] (?<what>Error running agent: [^\n]{5,120})/u,
    /(?<what>Failed to find (?:any valid )?interface to use[^\n]{0,60}|Failed to create SubnetManager: [^\n]{5,160})/u,
    /(?<what>Couldn't autodetect an IPv[46] address)/u,
    /(?<what>FATA: .{10,60}\[kube-peers\][^\n]{0,80})/u,
  ],
  except: [
    // The Service network, not the agent.
    /https:\/\/\[?(?:10\.\d{1,3}\.0\.1|172\.\d{1,3}\.0\.1|10\.152\.183\.1)\]?:443\/.{0,300}(?:timeout|no route to host|connection refused|unreachable|deadline exceeded)/u,
    // The kernel, whatever the agent.
    /(?:needs|requires?) (?:a )?kernel (?:version )?(?:>= ?)?\d|minimal supported kernel|: operation not supported$/iu,
    // A distribution that refuses the name of an add-on.
    /unsupported CNI/iu,
  ],
  recoveredBy: [/Calico node started successfully|Daemon initialization completed|just became ready/u],
  specificity: 58,
  confidence: "medium",
  explains: ["cni-not-ready", "pod-sandbox-failed"],
  retryable: true,
  blame: "cluster",
  title: "The agent or installer of the network add-on fails on the node",
  summary: "The network add-on fails: {what}",
  explanation:
    "The add-on cannot write its programs or configuration, or its agent ends with an error. The node stays NotReady.",
  nextStep:
    "Read the agent's log from its first line; correct the add-on of the cluster (HelmChartProxy, ClusterResourceSet) and its ranges (Cluster spec.clusterNetwork.pods)",
  references: ["https://kubernetes.io/docs/concepts/cluster-administration/addons/"],
} as const satisfies Rule;
