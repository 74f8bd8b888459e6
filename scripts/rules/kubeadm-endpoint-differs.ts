import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeadmEndpointDiffers = {
  kind: "failure",
  id: "kubeadm-endpoint-differs",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /requesting info from "(?:https:\/\/)?(?<discovery>(?!http:)[^\s"]{3,260})"/u,
    /[Cc]luster info signature and contents are valid.{0,80}API Server "(?:https:\/\/)?(?<discovery>[^\s"]{3,260})"/u,
    /kubeadm join (?:.{0,200} )?(?<discovery>[\w.[\]-]{2,253}:\d{2,5})(?: |$)/u,
    [
      /(?:[Ff]ailed to get config map|unable to fetch the kubeadm-config ConfigMap|error execution phase|[Uu]nable to upgrade|Get )/u,
      /https:\/\/(?<failing>[^\s"\\/]{3,260})\/api\/v1\/namespaces\/kube-system\/configmaps\/kube(?:adm|let)-config/u,
      /connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|context deadline exceeded|Client\.Timeout/u,
    ],
    // A request without an answer, as kubeadm shows it with --v=8.
    /GET https:\/\/(?<failing>[^\s"\\/]{3,260})\/api\/v1\/namespaces\/kube-system\/configmaps\/kubeadm-config\S{0,20} {1,3}in \d{4,6} milliseconds/u,
    // Until 1.5 discovery had a port of its own: here hosts are compared.
    /requesting info from "http:\/\/(?<discovery>[^\s":/]{3,253}):9898\//u,
    /<node\/csr> failed to request signed certificate .{0,120}https:\/\/(?<failing>[^\s":/]{3,253}):\d{2,5}\//u,
  ],
  differ: ["discovery", "failing"],
  specificity: 82,
  confidence: "high",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The cluster tells nodes another endpoint than the one that answered",
  summary: "The join found the cluster at {discovery} but is then sent to {failing}, which does not answer",
  explanation:
    "Discovery worked, so the given address is reachable. The kubeconfig that the cluster hands out holds another address or port, and that one does not answer from this node.",
  nextStep:
    "Make the endpoints agree: Cluster spec.controlPlaneEndpoint with KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.controlPlaneEndpoint and the server line of cluster-info; make them one reachable address",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
