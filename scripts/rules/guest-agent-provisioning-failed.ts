import type { Rule } from "../../handler/diagnosis/rule.ts";

export const guestAgentProvisioningFailed = {
  kind: "failure",
  id: "guest-agent-provisioning-failed",
  cause: "guest-agent-failed",
  reason: "GuestAgentFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    /(?<what>(?:Daemon )?Provisioning failed: [^\n]{5,120})/u,
    /(?<what>\[ProvisionError\] [^\n]{5,120})/u,
    /(?<what>Giving up, (?:ovf-env\.xml|ssh host key) was not [^\n]{5,60})/u,
  ],
  recoveredBy: [/Provisioning complete|Finished provisioning|ProcessExtensionsGoalState completed/u],
  specificity: 64,
  confidence: "high",
  explains: ["os-provisioning-timeout"],
  retryable: true,
  blame: "image",
  title: "The Azure guest agent could not provision the machine",
  summary: "The guest agent could not provision: {what}",
  explanation:
    "The agent sets host name, user and keys and then reports ready. It failed before that, so Azure never hears of the machine and no extension runs.",
  nextStep:
    "Check the image's provisioning agent: walinuxagent or cloud-init (AzureMachineTemplate spec.template.spec.image): one of them must provision, and the provisioning disc must be readable",
  references: ["https://learn.microsoft.com/azure/virtual-machines/extensions/agent-linux"],
} as const satisfies Rule;
