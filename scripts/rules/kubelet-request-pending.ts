import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubectl get csr: a node's first request has waited for minutes; its serving certificate may wait for good. */
export const kubeletRequestPending = {
  kind: "failure",
  id: "kubelet-request-pending",
  cause: "tls-bootstrap-failed",
  reason: "TlsBootstrapFailed",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /^(?:node-)?csr-\S{4,80} {1,20}(?<age>(?:[5-9]|\d{2,3})m\d{0,2}s?|\d{1,3}[hd]\S{0,6}) .{0,160}(?:system:bootstrap:\w{6}|kubelet-bootstrap|:node-bootstrapper) .{0,60}Pending\s*$/u,
  ],
  recoveredBy: [/certificatesigningrequest\S{0,30}\/\S{4,80} approved|Successfully registered node/u],
  specificity: 60,
  confidence: "medium",
  explains: ["join-timeout-unknown", "kubelet-not-running"],
  retryable: true,
  blame: "control-plane",
  title: "The certificate request of a node is not approved",
  summary: "A node's certificate request has been pending for {age}",
  explanation:
    "The kubelet asked for its client certificate with the bootstrap token, and nobody approved or signed it. Without the certificate the node does not register.",
  nextStep:
    "Read why kube-controller-manager does not approve it (its role bindings for bootstrappers, its signing key); kubectl certificate approve helps once; the groups of the token stand in KubeadmControlPlane spec.kubeadmConfigSpec.initConfiguration.bootstrapTokens",
  references: ["https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/"],
} as const satisfies Rule;
