import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherTunnelAddressUnreachable = {
  kind: "failure",
  id: "rancher-tunnel-address-unreachable",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [
    [
      /(?:Failed to connect to proxy|Remotedialer proxy error)/u,
      /dial tcp (?<host>[\w.:[\]-]{3,80}): (?:connect: )?(?:i\/o timeout|connection timed out|operation timed out)/u,
    ],
  ],
  recoveredBy: [/Remotedialer connected to proxy/u],
  specificity: 66,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The address that the k3s or RKE2 server advertises cannot be reached",
  summary: "The server advertises {host}, which this node cannot reach (time-out)",
  explanation:
    "The join address answered, else the agent would have no configuration yet. The tunnel then goes to the address that the server itself advertises, and packets to it are lost.",
  nextStep:
    "Advertise an address of the node network (node-ip, advertise-address or tls-san in the server configuration of RKE2ControlPlane or KThreesControlPlane), or route that network (AzureCluster spec.networkSpec.vnet.peerings)",
  references: ["https://docs.k3s.io/installation/requirements"],
} as const satisfies Rule;
