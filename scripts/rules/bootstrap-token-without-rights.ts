import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The API server knows the token, but its group may not read what a join reads. */
export const bootstrapTokenWithoutRights = {
  kind: "failure",
  id: "bootstrap-token-without-rights",
  cause: "kubelet-identity-forbidden",
  reason: "KubeletIdentityForbidden",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    [
      /\w{3,60} \\*"(?<object>[\w.-]{2,120})\\*" is forbidden: User \\*"(?<user>system:bootstrap:\w{1,12})\\*" cannot get/u,
      /configmaps|nodes/u,
    ],
  ],
  // cluster-info is a matter of the token, and a versioned kubelet-config of the versions.
  except: [/cluster-info|kubelet-config-1\.\d/u],
  recoveredBy: [/This node has joined the cluster|Successfully registered node/u],
  specificity: 82,
  confidence: "high",
  explains: ["join-timeout-unknown", "cloud-init-scripts-failed"],
  retryable: false,
  blame: "configuration",
  title: "The bootstrap token may not read the configuration of the cluster",
  summary: "{user} may not read {object}",
  explanation:
    "The API server accepts the token, but the role that lets joining nodes read this object is missing or is not bound to the token's group.",
  nextStep:
    "Restore the roles of joining nodes: kubeadm init phase bootstrap-token and upload-config all on a control-plane node; the token's groups stand in KubeadmControlPlane spec.kubeadmConfigSpec.initConfiguration.bootstrapTokens",
  references: ["https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/"],
} as const satisfies Rule;
