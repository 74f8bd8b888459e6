import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rke2ProfileUserMissing = {
  kind: "failure",
  id: "rke2-profile-user-missing",
  cause: "distribution-config-invalid",
  reason: "DistributionConfigInvalid",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [/missing required: (?<what>(?:user|group): unknown (?:user|group) \w{1,32})/u],
  specificity: 82,
  confidence: "high",
  explains: ["join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The profile of RKE2 needs a user that the machine has not",
  summary: "RKE2's CIS profile needs an account that this machine has not ({what})",
  explanation:
    "With a CIS profile RKE2 starts only on a machine that has the user and the group etcd, as whom the datastore's files are kept.",
  nextStep:
    'Create both before RKE2 starts: useradd -r -c "etcd user" -s /sbin/nologin -M etcd -U in the image (AzureMachineTemplate spec.template.spec.image) or in RKE2ControlPlane spec.preRKE2Commands',
  references: ["https://docs.rke2.io/security/hardening_guide"],
} as const satisfies Rule;
