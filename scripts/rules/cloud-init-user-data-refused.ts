import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitUserDataRefused = {
  kind: "failure",
  id: "cloud-init-user-data-refused",
  cause: "cloud-init-userdata-invalid",
  reason: "CloudInitUserdataInvalid",
  platforms: ["linux", "windows"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /(?<what>Failed loading yaml blob[^\n]{0,100})/u,
    /(?<what>Unhandled non-multipart \(text\/x-not-multipart\) userdata)/u,
    /(?<what>Could not render jinja template variables[^\n]{0,120})/u,
    /(?<what>Error: Cloud config schema errors: [^\n]{3,100}|Invalid schema: user-data)/u,
    /(?<what>Failed to shellify|Unable to shellify)/u,
    // cloudbase-init.
    /WARNING cloudbaseinit\.\S{3,60} \[-\] (?<what>Unsupported user_data format)/u,
    /(?<what>Failed (?:at|to) (?:merging in cloud config|merging|parsing)[^\n]{0,80}cloud.?config)/u,
  ],
  except: [/deprecat/iu],
  recoveredBy: [/This node has joined the cluster/u],
  specificity: 74,
  confidence: "high",
  explains: ["cloud-init-scripts-failed", "kubeadm-not-run"],
  retryable: false,
  blame: "configuration",
  title: "cloud-init did not understand the user-data",
  summary: "The user-data is not valid: {what|see the evidence}",
  explanation:
    "cloud-init goes on without what it cannot read, so commands and files of the bootstrap data are missing.",
  nextStep:
    "Check its quoting and indentation: files and commands in KubeadmConfigTemplate spec.template.spec (preKubeadmCommands, files); test with cloud-init schema --system",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
