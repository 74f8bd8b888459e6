import type { Rule } from "../../handler/diagnosis/rule.ts";

export const containerdConfigInvalid = {
  kind: "failure",
  id: "containerd-config-invalid",
  cause: "container-runtime-not-running",
  reason: "ContainerRuntimeNotRunning",
  platforms: ["linux", "windows"],
  stage: "runtime",
  sources: "any",
  any: [
    /containerd: (?<answer>(?:failed to load TOML|invalid (?:plugin|disabled plugin)|toml:|failed to unmarshal TOML|unsupported config version|\(\d{1,5}, \d{1,4}\): |expected containerd config version)[^\n]{0,120})/u,
    /containerd: (?<answer>load required plugin[^\n]{0,120}|listen unix[^\n]{0,120})/u,
  ],
  // The file system, not the configuration.
  except: [/snapshotter|overlayfs/u],
  recoveredBy: [/containerd successfully booted/u],
  specificity: 84,
  confidence: "high",
  explains: ["cri-socket-missing", "kubelet-runtime-unreachable", "kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "containerd refuses its configuration and does not start",
  summary: "containerd cannot load its configuration: {answer|see the evidence}",
  explanation:
    "containerd stops at its own config.toml: an unknown key, a wrong version or a syntax error. Without it neither images nor pods work.",
  nextStep:
    "Correct /etc/containerd/config.toml: KubeadmConfigTemplate spec.template.spec.files (match its version line to the installed containerd), or drop the override",
  references: ["https://github.com/containerd/containerd/blob/main/docs/man/containerd-config.toml.5.md"],
} as const satisfies Rule;
