import type { Rule } from "../../handler/diagnosis/rule.ts";

/** A static pod is told to listen on an address that the machine had at init and has no longer. */
export const addressNotOnMachine = {
  kind: "failure",
  id: "address-not-on-machine",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux"],
  stage: "kubeadm-init",
  sources: "any",
  any: [
    /listen tcp (?<address>\S{3,60}:(?:2379|2380|2381|6443)): bind: cannot assign requested address/u,
    // k3s.
    /failed to find interface with specified node ip/u,
  ],
  specificity: 82,
  confidence: "high",
  explains: [
    "api-server-unreachable",
    "etcd-unhealthy",
    "control-plane-component-crash",
    "join-timeout-unknown",
    "cni-not-ready",
  ],
  retryable: false,
  blame: "configuration",
  title: "The control plane shall listen on an address that the machine does not have",
  summary: "No network interface of this machine has the address {address|that is configured for it}",
  explanation:
    "etcd or the API server is configured for an address that is not this machine's: its address changed, or a public or load balancer address was given as the local one.",
  nextStep:
    "Advertise an address of the machine: KubeadmControlPlane spec.kubeadmConfigSpec.initConfiguration.localAPIEndpoint.advertiseAddress (or leave it out); create a machine whose address changed again",
  references: ["https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/"],
} as const satisfies Rule;
