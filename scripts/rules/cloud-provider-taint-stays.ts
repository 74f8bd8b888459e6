import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudProviderTaintStays = {
  kind: "failure",
  id: "cloud-provider-taint-stays",
  cause: "cloud-provider-init-pending",
  reason: "CloudProviderInitPending",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /(?:untolerated|had) taint \{?(?<taint>node\.cloudprovider\.kubernetes\.io\/uninitialized)/u,
    // A list of taints as Go prints it: kubectl's own answer, not a manifest.
    /map\[(?:effect:\w{4,20} )?key:(?<taint>node\.cloudprovider\.kubernetes\.io\/uninitialized)/u,
    /Taints: {1,20}(?<taint>node\.cloudprovider\.kubernetes\.io\/uninitialized)/u,
  ],
  specificity: 50,
  confidence: "medium",
  retryable: true,
  blame: "cluster",
  title: "The node waits for a cloud controller that does not come",
  summary: "The node keeps the taint {taint}",
  explanation:
    "With an external cloud provider the cloud-controller-manager removes this taint and sets addresses. It is absent, fails, or does not find the VM under the name of the node.",
  nextStep:
    "Install or repair cloud-provider-azure (HelmChartProxy or ClusterResourceSet); the node name must be the VM name (nodeRegistration.name)",
  references: ["https://cloud-provider-azure.sigs.k8s.io/"],
} as const satisfies Rule;
