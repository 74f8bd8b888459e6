import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniPluginNotUsable = {
  kind: "failure",
  id: "cni-plugin-not-usable",
  cause: "cni-install-failed",
  reason: "CniInstallFailed",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /failed to find plugin \\*"(?<what>[\w.-]{2,40})\\*" in path/u,
    /(?<what>\/run\/flannel\/subnet\.env): no such file/u,
    /(?<what>\/var\/lib\/calico\/nodename): no such file/u,
    /error getting ClusterInformation: (?<what>connection is unauthorized)/u,
    /(?<what>unable to connect to Cilium (?:daemon|agent))/u,
    /(?<what>\/var\/run\/antrea\/cni\.sock): connect: /u,
    [
      /azure-vnet|azure-ipam|azure-cns|azurecni/iu,
      /(?<what>127\.0\.0\.1:10090|localhost:10090|no available addresses|No available addresses|AllocateIPConfig failed)/u,
    ],
  ],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready/u],
  minCount: 3,
  minSeconds: 20,
  specificity: 40,
  confidence: "medium",
  explains: ["cni-not-ready", "pod-sandbox-failed"],
  retryable: true,
  blame: "cluster",
  title: "The CNI plugin cannot work because its agent did not set up this node",
  summary: "The CNI plugin cannot be used: {what}",
  explanation:
    "The CNI configuration is there, but the plugin's program, its data file or its agent is not. Pods on this node get no network. For a few seconds this is normal.",
  nextStep:
    "Look at the network add-on's pods: HelmChartProxy or ClusterResourceSet; look at /opt/cni/bin; on an image of your own install the CNI plugins (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
} as const satisfies Rule;
