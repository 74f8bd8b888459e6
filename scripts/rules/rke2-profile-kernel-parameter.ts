import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rke2ProfileKernelParameter = {
  kind: "failure",
  id: "rke2-profile-kernel-parameter",
  cause: "preflight-kernel-params",
  reason: "PreflightKernelParams",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [/invalid kernel parameter value (?<what>[\w.]{3,80}=\S{0,20} - expected \S{1,20})/u],
  specificity: 82,
  confidence: "high",
  explains: ["join-timeout-unknown"],
  retryable: false,
  blame: "image",
  title: "A kernel parameter is not what the profile of RKE2 needs",
  summary: "A kernel parameter is not what RKE2's CIS profile needs: {what}",
  explanation:
    "With a CIS profile the kubelet may not change kernel parameters, so RKE2 starts only where they have their values already.",
  nextStep:
    "Set them before RKE2 starts: copy rke2-cis-sysctl.conf to /etc/sysctl.d and run sysctl --system, in the image (AzureMachineTemplate spec.template.spec.image) or in RKE2ControlPlane spec.preRKE2Commands",
  references: ["https://docs.rke2.io/security/hardening_guide"],
} as const satisfies Rule;
