import type { Rule } from "../../handler/diagnosis/rule.ts";

/** etcd and the API server crash on this machine, and the address of the API server leads nowhere: it was the machine's own. */
export const ownAddressGone = {
  kind: "failure",
  id: "own-address-gone",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  any: [/dial tcp (?<address>\S{3,60}:6443): connect: no route to host/u],
  all: [
    [/CrashLoopBackOff|back-off/u, /(?:for \\*"|container=)etcd\b/u],
    [/CrashLoopBackOff|back-off/u, /(?:for \\*"|container=)kube-apiserver\b/u],
  ],
  minCount: 2,
  specificity: 82,
  confidence: "medium",
  explains: [
    "api-server-unreachable",
    "etcd-unhealthy",
    "control-plane-component-crash",
    "join-timeout-unknown",
    "cni-not-ready",
  ],
  retryable: false,
  blame: "configuration",
  title: "The control plane is configured for an address that this machine lost",
  summary: "Nothing has the address {address} any more, for which this control plane is configured",
  explanation:
    "etcd and the API server of this machine crash together, and there is no route to the API server's address. That is what is left when the address of a control-plane machine changes.",
  nextStep:
    "Advertise an address of the machine: KubeadmControlPlane spec.kubeadmConfigSpec.initConfiguration.localAPIEndpoint.advertiseAddress (or leave it out); create a machine whose address changed again",
  references: ["https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/"],
} as const satisfies Rule;
