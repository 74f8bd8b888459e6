import type { Rule } from "../../handler/diagnosis/rule.ts";

export const caCertHashNotPinned = {
  kind: "failure",
  id: "ca-cert-hash-not-pinned",
  cause: "ca-cert-hash-mismatch",
  reason: "CaCertHashMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /invalid discovery token CA certificate hash/u,
    /cluster CA found in cluster-info ConfigMap is invalid/u,
    /none of the public keys \\*"?(?<hash>sha256:[0-9a-f]{8,64})?.{0,80}are pinned/u,
    /public key(?: hash)? (?:sha256:)?\S{0,80} ?(?:is )?not pinned/u,
    /invalid hash.{0,40}expected sha256/u,
    /unknown hash format \\*"|invalid public key hash, expected \\*"format:value/u,
    // k3s and RKE2, whose token carries the hash.
    /token CA hash does not match the Cluster CA certificate hash/u,
  ],
  specificity: 94,
  confidence: "high",
  explains: ["join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The CA hash in the join configuration is not that of the cluster",
  summary: "The cluster CA does not match the pinned hash",
  explanation:
    "The node checks the CA of the cluster against discovery.bootstrapToken.caCertHashes and finds another one: a wrong hash, or another cluster at this address.",
  nextStep:
    "Correct the hash or the endpoint: compare KubeadmConfig spec.joinConfiguration.discovery.bootstrapToken.caCertHashes with the CA of the cluster at Cluster spec.controlPlaneEndpoint; remove a stale hash and create the machine again",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
} as const satisfies Rule;
