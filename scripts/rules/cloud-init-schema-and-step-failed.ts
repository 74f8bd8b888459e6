import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitSchemaAndStepFailed = {
  kind: "failure",
  id: "cloud-init-schema-and-step-failed",
  cause: "cloud-init-userdata-invalid",
  reason: "CloudInitUserdataInvalid",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [/(?<what>Invalid cloud-config provided)/u],
  all: [/Running module \S{2,40} .{0,120}failed|Failed to shellify|[Ff]ailed to run module/u],
  specificity: 66,
  confidence: "medium",
  explains: ["cloud-init-scripts-failed", "kubeadm-not-run"],
  retryable: false,
  blame: "configuration",
  title: "The user-data breaks the schema and a step of it failed",
  summary: "The user-data is not valid cloud-config ({what})",
  explanation:
    "cloud-init warned that the user-data breaks its schema, and afterwards a module of it failed. The warning alone is harmless.",
  nextStep:
    "Run cloud-init schema --system on the node; check types and quoting in KubeadmConfigTemplate spec.template.spec (preKubeadmCommands, files, mounts)",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
