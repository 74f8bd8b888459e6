import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherTokenRejected = {
  kind: "failure",
  id: "rancher-token-rejected",
  cause: "bootstrap-token-invalid-or-expired",
  reason: "BootstrapTokenInvalidOrExpired",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [
    /(?<answer>failed to normalize (?:server )?token[^"\\\n]{0,80})/u,
    [
      /(?:token is not valid|failed to validate token|invalid token format|token must be)/u,
      /(?<answer>token is not valid|failed to validate token|invalid token format|token must be)/u,
    ],
    [/\/v1-(?:k3s|rke2)\//u, /(?<answer>401 Unauthorized|403 Forbidden)/u],
    /failed to get CA certs: (?<answer>Unauthorized)/u,
    /(?:configuration(?: from server)?|\/v1-(?:k3s|rke2)\/[\w/-]{1,60}): (?<answer>not authorized)/u,
    /(?<answer>bootstrap data already found and encrypted with different token)/u,
  ],
  // The token was never looked at.
  except: [
    // Of tomorrow, by the clock of this machine.
    /not valid yet/u,
    /connection refused|i\/o timeout|deadline exceeded|Client\.Timeout|no route to host|connection reset|: EOF\b/u,
  ],
  // An agent is refused now and then while its server begins; it runs a kubelet once it has its configuration.
  recoveredBy: [/msg=\\*"Running (?:RKE2 )?kubelet /u],
  specificity: 88,
  confidence: "high",
  explains: ["join-timeout-unknown", "datastore-failed"],
  retryable: true,
  blame: "configuration",
  title: "The k3s or RKE2 join token is malformed or refused",
  summary: "The server does not accept the join token ({answer})",
  explanation:
    "The token that the node was given has the wrong form, belongs to another cluster, or was rotated. The agent or server stops until it gets the right one.",
  nextStep:
    "Correct the token in the bootstrap data (RKE2ConfigTemplate or KThreesConfigTemplate, secret CLUSTER-token) and create the machine again",
  references: ["https://docs.k3s.io/cli/token"],
} as const satisfies Rule;
