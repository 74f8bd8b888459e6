import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightSystemVerification = {
  kind: "failure",
  id: "preflight-system-verification",
  cause: "kernel-unsupported",
  reason: "KernelUnsupported",
  platforms: ["linux"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /(?<what>failed to find \w{3,10} cgroup(?: \(v2\))?)/u,
    /failed to run Kubelet: (?<what>mountpoint for \w{2,12} not found)/u,
    /(?<what>cgroup \[[^\]\n]{2,60}\] has some missing (?:controllers|paths): [\w ,-]{2,60})/u,
    /(?<what>failed to find subsystem mount for required subsystem: \w{2,12})/u,
    // k3s check-config.
    /^- (?<what>[^\n]{5,120}): (?:bad|missing) \(fail\)$/u,
    /\[ERROR SystemVerification\]: (?<what>[^\n]{5,120})/u,
    /(?<what>[Mm]issing required cgroups: [\w ,]{3,60}|missing cgroups: [\w ,]{3,60})/u,
    /system validation failed - (?<what>[^"\n]{5,120})/u,
    /(?<what>CGROUPS_(?:CPU|CPUACCT|CPUSET|DEVICES|FREEZER|MEMORY): missing)/u,
    /(?<what>Following Cgroup subsystem not mounted: \[[\w ,]{1,60}\])/u,
    /(?<what>cgroup v1 support is (?:unsupported|in maintenance)[^"\n]{0,80}|kubelet is configured to not run on a host using cgroup v1)/u,
  ],
  except: [
    /\[WARNING SystemVerification\]|optional cgroups|maintenance|wrong number of fields/u,
    /unsupported graph driver|docker (?:version|info)/iu,
  ],
  specificity: 91,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "image",
  title: "The kernel lacks something that Kubernetes needs",
  summary: "The kernel or its cgroups do not fit: {what|see the evidence}",
  explanation:
    "A check of kernel version, options or cgroup controllers failed. Without the controller or option the kubelet cannot manage pods.",
  nextStep: "Enable it on the kernel command line or take another image: AzureMachineTemplate spec.template.spec.image",
  references: ["https://kubernetes.io/docs/concepts/architecture/cgroups/"],
} as const satisfies Rule;
