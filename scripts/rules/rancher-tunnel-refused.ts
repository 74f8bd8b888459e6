import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherTunnelRefused = {
  kind: "failure",
  id: "rancher-tunnel-refused",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [[/Failed to connect to proxy/u, /websocket: (?<answer>bad handshake)/u]],
  // A server that starts, or that does not know the token.
  except: [/Response status: (?:401|50\d)/u],
  none: [/is up and running|Successfully registered node|event="NodeReady"|just became ready/u],
  recoveredBy: [/Remotedialer connected to proxy/u],
  // A server that starts refuses the first ones.
  minCount: 4,
  minSeconds: 15,
  specificity: 14,
  confidence: "medium",
  explains: ["join-timeout-unknown", "cni-not-ready"],
  retryable: false,
  blame: "configuration",
  title: "What answers at the server's address does not take the agent's tunnel",
  summary: "The server refuses the tunnel of the agent ({answer})",
  explanation:
    "The agent reaches the address, and what answers there is no k3s or RKE2 server of the control plane: a server without that role, or a proxy or load balancer that passes no WebSocket.",
  nextStep:
    "Point the agent at a server with the control-plane role, by a load balancer that passes TCP unchanged: the registration address of RKE2ControlPlane or KThreesControlPlane (AzureCluster spec.networkSpec.apiServerLB)",
  references: ["https://docs.k3s.io/installation/requirements"],
} as const satisfies Rule;
