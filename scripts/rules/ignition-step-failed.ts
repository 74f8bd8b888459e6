import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ignitionStepFailed = {
  kind: "failure",
  id: "ignition-step-failed",
  cause: "ignition-config-invalid",
  reason: "IgnitionConfigInvalid",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [/[Ii]gnition failed: (?<what>[^\n]{5,160})/u],
  except: [
    /resource not found|fetch|i\/o timeout|connection refused|x509: |no such host|timed out|requires networking/u,
  ],
  recoveredBy: [/Ignition finished successfully/u],
  specificity: 28,
  confidence: "medium",
  retryable: false,
  blame: "configuration",
  title: "Ignition could not carry out its configuration",
  summary: "Ignition failed: {what}",
  explanation:
    "Ignition read its configuration, but one of the steps in it did not work: a disk, a file system, a user or a file. The boot ends in the emergency shell.",
  nextStep:
    "Read the Ignition lines before it: boot diagnostics; correct the step in KubeadmConfigTemplate spec.template.spec.ignition, files, users or diskSetup",
  references: ["https://coreos.github.io/ignition/operator-notes/"],
} as const satisfies Rule;
