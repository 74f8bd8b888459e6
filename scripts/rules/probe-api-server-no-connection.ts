import type { Rule } from "../../handler/diagnosis/rule.ts";

/** No TCP connection to the endpoint at the time of the failure. Weaker than what kubeadm or the kubelet say of it. */
export const probeApiServerNoConnection = {
  kind: "failure",
  id: "probe-api-server-no-connection",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: ["probe"],
  any: [/^probe tcp (?<endpoint>\S{3,260}): (?<answer>refused|timeout|no route|reset|forbidden by a local firewall)/u],
  specificity: 42,
  confidence: "medium",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "control-plane",
  title: "The node gets no connection to the API server",
  summary: "A connection to {endpoint} failed: {answer}",
  explanation:
    "The node tried to connect to the control-plane endpoint when the bootstrap failed. Refused means that nothing listens behind the address; a timeout means that packets are dropped on the way.",
  nextStep:
    "Check the control plane and its balancer: a member must be healthy; then the rules of AzureCluster spec.networkSpec.subnets securityGroup and spec.controlPlaneEndpoint",
  references: ["https://capz.sigs.k8s.io/self-managed/troubleshooting"],
} as const satisfies Rule;
