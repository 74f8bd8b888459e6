import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitRuncmdFailed = {
  kind: "failure",
  id: "cloud-init-runcmd-failed",
  cause: "cloud-init-scripts-failed",
  reason: "CloudInitScriptsFailed",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /Failed running (?<script>\/var\/lib\/cloud\/\S{4,120}) \[\d{1,3}\]/u,
    /Failed to run module scripts[-_]?(?<script>user|vendor)/iu,
    /Failed to run (?<script>bootcmd|runcmd) module\b/u,
    /Runparts: \d{1,3} failures/u,
    /\('(?<script>scripts[-_]user)', RuntimeError\(/u,
  ],
  specificity: 20,
  confidence: "medium",
  explains: ["kubeadm-not-run"],
  retryable: false,
  blame: "configuration",
  title: "A script of the user-data ended with an error",
  summary: "A bootstrap script failed ({script|runcmd})",
  explanation:
    "cloud-init ran the commands of the bootstrap data and one returned an error. What it printed just before is the best clue.",
  nextStep:
    "Read cloud-init-output.log above the failure; correct KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or postKubeadmCommands",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
