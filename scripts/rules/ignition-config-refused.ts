import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ignitionConfigRefused = {
  kind: "failure",
  id: "ignition-config-refused",
  cause: "ignition-config-invalid",
  reason: "IgnitionConfigInvalid",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    /(?<what>unsupported config version[^\n]{0,60})/u,
    [/[Ii]gnition|acquire config/u, /(?<what>config is not valid[^\n]{0,60})/u],
    /(?:failed to acquire config|failed to fetch config): (?<what>(?:unsupported|config is not|invalid|not a config|error parsing|merging configs|missing \w+ (?:format|path|name|contents)|duplicate )[^\n]{0,80})/u,
    [/[Ii]gnition/u, /(?<what>error at line \d{1,6},? col(?:umn)? \d{1,6}[^\n]{0,60}|error at \$\.[^\n]{3,100})/u],
  ],
  // containerd's own configuration; and none at all, with which Ignition goes on.
  except: [/containerd|TOML/u, /not a config \(empty\)/u],
  specificity: 90,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "Ignition cannot use its configuration",
  summary: "Ignition refuses its configuration: {what}",
  explanation:
    "The configuration has the wrong version, does not parse, or asks for something that Ignition cannot do. The boot ends in the emergency shell.",
  nextStep:
    "Use a version that the image knows: KubeadmConfigTemplate spec.template.spec.ignition (containerLinuxConfig.additionalConfig) to a version that the image (AzureMachineTemplate spec.template.spec.image) knows",
  references: ["https://coreos.github.io/ignition/"],
} as const satisfies Rule;
