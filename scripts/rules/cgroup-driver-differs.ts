import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cgroupDriverDiffers = {
  kind: "failure",
  id: "cgroup-driver-differs",
  cause: "cgroup-driver-mismatch",
  reason: "CgroupDriverMismatch",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /kubelet cgroup driver: \\*['"](?<kubelet>\w+)\\*['"] is different from docker cgroup driver: \\*['"](?<runtime>\w+)/u,
    // Of what can be wrong with a kubelet it calls this alone so; a screen cut the rest.
    /failed to run Kubelet: misconfig[a-z]{0,8}(?:>|…|\.\.\.)/u,
    /expected cgroupsPath to be of format .{0,40} for systemd cgroups, got/u,
    [/cgroup/u, /cgroupfs/u, /is different from|different cgroup drivers|does not match/u],
  ],
  specificity: 94,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "container-runtime-not-running"],
  retryable: false,
  blame: "configuration",
  title: "kubelet and container runtime use different cgroup drivers",
  summary: "kubelet and runtime use different cgroup drivers ({kubelet|one} and {runtime|another})",
  explanation:
    "The kubelet manages pods with one cgroup driver and the runtime with another, so the kubelet exits or every container start fails.",
  nextStep:
    "Set both to systemd: cgroupDriver in the kubelet configuration and SystemdCgroup = true (containerd) or native.cgroupdriver=systemd (docker) in KubeadmConfigTemplate spec.template.spec.files, then restart both",
  references: ["https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/configure-cgroup-driver/"],
} as const satisfies Rule;
