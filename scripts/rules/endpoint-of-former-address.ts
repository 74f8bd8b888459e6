import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Two addresses in one log, both written as such: the one to join at, and the one at which somebody fails. */
export const endpointOfFormerAddress = {
  kind: "failure",
  id: "endpoint-of-former-address",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /kubeadm join (?:.{0,200} )?(?<given>\d{1,3}(?:\.\d{1,3}){3}:\d{2,5})(?: |$)/u,
    /Unable to connect to the server: dial tcp (?<failing>\d{1,3}(?:\.\d{1,3}){3}:\d{2,5}): (?:connect: )?(?:i\/o timeout|no route to host|network is unreachable|connection timed out)/u,
    [
      /Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure (?:node )?lease/u,
      /https:\/\/(?<failing>\d{1,3}(?:\.\d{1,3}){3}:\d{2,5})\/api/u,
      /connection refused|i\/o timeout|no route to host|network is unreachable|connection timed out|Client\.Timeout/u,
    ],
  ],
  differ: ["given", "failing"],
  recoveredBy: [/Successfully registered node|^NAME\s{2,80}STATUS\s{2,40}ROLES/u],
  specificity: 64,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cni-not-ready"],
  retryable: false,
  blame: "configuration",
  title: "Somebody asks for the API server at another address than the cluster's",
  summary: "The cluster is joined at {given} and asked for at {failing}, which does not answer",
  explanation:
    "A kubeconfig holds an address that is not the cluster's, or not any more: of an earlier cluster, of another network, or from before the machine's address changed.",
  nextStep:
    "Write kubelet.conf and admin.conf again with Cluster spec.controlPlaneEndpoint; better create the Machine again, so that its bootstrap data names the endpoint of today",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
