import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletIdentityNotAuthorized = {
  kind: "failure",
  id: "kubelet-identity-not-authorized",
  cause: "kubelet-identity-forbidden",
  reason: "KubeletIdentityForbidden",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /(?:is forbidden: )?[Uu]ser \\*"(?<user>[^"\\]{1,253})\\*" cannot (?:list|watch|get|create|patch|update) (?:resource \\*")?(?:nodes|services|pods|events|csidrivers|runtimeclasses|leases|csinodes)\b/u,
      /kubelet|reflector|informer|Unable to register|Failed to (?:list|watch|ensure)|Server rejected event/iu,
    ],
    [/Unable to register node/u, /Unauthorized|is forbidden/u],
    [/[Ff]ailed to (?:list|watch) \*v1\.(?:Node|Service|CSIDriver|RuntimeClass|Pod)/u, /Unauthorized/u],
  ],
  except: [/no relationship found between node|not yet ready to handle request/u],
  recoveredBy: [/Successfully registered node|Node became ready|event="NodeReady"/u],
  specificity: 64,
  confidence: "high",
  explains: ["cni-not-ready", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The API server does not let the kubelet act as a node",
  summary: "{user|The kubelet} may not register or read its node",
  explanation:
    "The API server knows the caller but its user is not system:node:NAME in the group system:nodes, or no role is bound to it. The node never registers.",
  nextStep:
    "Check the identity in kubelet.conf: KubeadmConfig spec.joinConfiguration.nodeRegistration.name must be the host name; restore the cluster role binding system:node or the mapping of the cloud identity",
  references: ["https://kubernetes.io/docs/reference/access-authn-authz/node/"],
} as const satisfies Rule;
