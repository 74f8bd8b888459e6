import type { Rule } from "../../handler/diagnosis/rule.ts";

export const featureGateUnrecognized = {
  kind: "failure",
  id: "feature-gate-unrecognized",
  cause: "feature-gate-unknown",
  reason: "FeatureGateUnknown",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /unrecognized feature[ -]gate(?:[ -]key)?: \\*"?(?<gate>[A-Za-z0-9]{2,60})/u,
    /featureGates: Invalid value: .{0,200}: (?<gate>[A-Za-z0-9]{2,60}) is not a valid feature name/u,
    /cannot set feature gate (?<gate>[A-Za-z0-9]{2,60}) to \w{4,5}, feature is locked/u,
    /invalid value of (?<gate>[A-Za-z0-9]{2,60})(?:=| ).{0,40}feature gate/u,
  ],
  except: [/^W\d{4}|\]: W\d{4}/u],
  specificity: 92,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "control-plane-component-crash"],
  retryable: false,
  blame: "configuration",
  title: "A feature gate is not known to this version",
  summary: "The feature gate {gate|named} is unknown or locked in this version",
  explanation:
    "A component got a feature gate that this Kubernetes version removed, does not have yet, or does not let anybody change. It exits at once.",
  nextStep:
    "Remove the gate: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs, the KubeletConfiguration or KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration (featureGates, extraArgs)",
  references: ["https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/"],
} as const satisfies Rule;
