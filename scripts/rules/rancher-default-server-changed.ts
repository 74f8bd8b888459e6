import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherDefaultServerChanged = {
  kind: "failure",
  id: "rancher-default-server-changed",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [
    /(?:Failed to connect to proxy|Remotedialer proxy error).{0,120}dial tcp (?<host>[\w.:[\]-]{3,80}): (?:connect: )?(?<answer>connection refused|no route to host|i\/o timeout|connection timed out)/u,
    // A terminal may have broken the line before the address.
    /(?:Failed to connect to proxy|Remotedialer proxy error)/u,
  ],
  all: [/Updated load balancer \S{5,60} default/u],
  recoveredBy: [/Remotedialer connected to proxy/u],
  specificity: 74,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The k3s or RKE2 agent is sent to another server address, which does not answer",
  summary: "After joining, the agent is sent to {host|another address}, which does not answer ({answer|no answer})",
  explanation:
    "The agent reached the server under the given address, then took over the address that the server advertises, and that one does not answer from this node (for example the address of a NAT adapter).",
  nextStep:
    "Advertise an address that nodes reach: node-ip or advertise-address in the server configuration of RKE2ControlPlane or KThreesControlPlane",
  references: ["https://docs.k3s.io/installation/requirements"],
} as const satisfies Rule;
