import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The machine's clock against a server's Date, more than a minute apart. */
export const probeClockOffset = {
  kind: "failure",
  id: "probe-clock-offset",
  cause: "clock-skew",
  reason: "ClockSkew",
  platforms: ["linux", "windows"],
  stage: "any",
  sources: ["probe"],
  any: [
    /^probe clock (?<server>\S{3,120}): offset (?<offset>[+-]?\d{1,12} s), this machine's clock is (?<side>ahead|behind)/u,
  ],
  specificity: 50,
  confidence: "medium",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "image",
  title: "The node's clock differs from Azure's by more than a minute",
  summary: "The node's clock is {side} ({offset} against {server})",
  explanation:
    "Tokens and certificates have times. A node whose clock is behind takes a new certificate for not yet valid; one that is ahead takes tokens for expired.",
  nextStep:
    "Synchronise the clock before the join: chrony with the Hyper-V clock in the image of AzureMachineTemplate spec.template.spec.image, or KubeadmConfigTemplate spec.template.spec.ntp",
  references: ["https://learn.microsoft.com/azure/virtual-machines/linux/time-sync"],
} as const satisfies Rule;
