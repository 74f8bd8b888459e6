import type { Rule } from "../../handler/diagnosis/rule.ts";

/** A join asks the address that it was given first (discovery), and only then the one that the cluster names: who fails at the second is sent elsewhere. */
export const kubeadmEndpointNotGiven = {
  kind: "failure",
  id: "kubeadm-endpoint-not-given",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    [
      /https:\/\/(?<failing>[^\s"\\/]{3,260})\/api\/v1\/namespaces\/kube-system\/configmaps\/kubeadm-config/u,
      /connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|while waiting for connection/u,
      /^Get |kubeadm-config ConfigMap|failed to get config map/u,
    ],
  ],
  all: [
    /\[preflight\] (?:Reading configuration from the cluster|FYI: You can look at this config file)|error execution phase preflight: unable to fetch the kubeadm-config ConfigMap|https:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d{2,5}\/api\/v1\/namespaces\/kube-system\/configmaps\/kubeadm-config/u,
  ],
  // Where the log shows which address was given, kubeadm-endpoint-differs compares the two.
  none: [
    /[Rr]equesting info from "|will use API Server "|kubeadm join (?:.{0,200} )?[\w.[\]-]{2,253}:\d{2,5}(?: |$)|discovery-file|kubeadm-join-config\.yaml/u,
  ],
  except: [/\[reset\]|\[upgrade|: lookup /u],
  recoveredBy: [/This node has joined the cluster|Successfully registered node/u],
  specificity: 80,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The cluster sends the joining node to an address that does not answer",
  summary: "The join found the cluster but is then sent to {failing|another address}, which does not answer",
  explanation:
    "kubeadm reads the cluster's own address from cluster-info, at the address that it was given, and only then asks for the configuration there. The first answered; the second is a private, local or former address of the control plane, or one whose way is closed.",
  nextStep:
    "Compare the server line of the ConfigMap cluster-info with Cluster spec.controlPlaneEndpoint: both must be one address that nodes reach; else open the way to it (AzureCluster spec.networkSpec)",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
