import type { Rule } from "../../handler/diagnosis/rule.ts";

export const tlsBootstrapUnauthorized = {
  kind: "failure",
  id: "tls-bootstrap-unauthorized",
  cause: "tls-bootstrap-failed",
  reason: "TlsBootstrapFailed",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /error uploading crisocket: (?<answer>Unauthorized)/u,
    /[Ee]rror uploading crisocket: .{0,60}(?<answer>Unauthorized|is forbidden)/u,
    /[Ff]ailed while requesting a signed certificate from the (?:control plane|master|API server): .{0,120}(?<answer>Unauthorized|is forbidden|denied)/u,
    /cannot create certificate signing request: (?<answer>Unauthorized|.{0,160}is forbidden)/u,
    /(?<answer>certificate signing request .{0,80}(?:was not approved|is denied|denied))/u,
    [
      /unable to load bootstrap kubeconfig|failed to run Kubelet/u,
      /(?<answer>bootstrap-kubelet\.conf: no such file or directory)/u,
    ],
    /(?<answer>recognized csr .{0,120}but subject access review was not approved)/u,
    /bootstrap\.go:\d{1,4}\] Failed to connect to apiserver: (?<answer>the server has asked for the client)/u,
    /(?<answer>currently active client certificate has expired) and the server is responsive/u,
    // A pager cut the name.
    /(?<answer>unable to load bootstrap kubeconfig): stat \/\S{3,40}(?:>|…|\.\.\.)\s{0,4}$/u,
    /(?<answer>[Pp]art of the existing bootstrap client certificate .{0,80}\bis expired)/u,
  ],
  recoveredBy: [
    /Successfully registered node|This node has joined the cluster/u,
    // The bootstrap token did for it.
    /Certificate rotation detected|Rotating certificates/u,
  ],
  specificity: 74,
  confidence: "high",
  explains: ["join-timeout-unknown", "kubelet-not-running"],
  retryable: false,
  blame: "configuration",
  title: "The kubelet's credentials are refused during the join",
  summary: "The join refuses the kubelet's credentials ({answer|Unauthorized})",
  explanation:
    "The kubelet could not turn the bootstrap token into a client certificate, or works with the certificate of an earlier cluster. kubeadm then cannot write to its Node object.",
  nextStep:
    "Create the Machine again: it starts without old state and with a fresh token; on a reused disk or image (AzureMachineTemplate spec.template.spec.image) remove /etc/kubernetes and /var/lib/kubelet first",
  references: ["https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/"],
} as const satisfies Rule;
