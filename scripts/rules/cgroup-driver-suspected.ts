import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cgroupDriverSuspected = {
  kind: "failure",
  id: "cgroup-driver-suspected",
  cause: "cgroup-driver-mismatch",
  reason: "CgroupDriverMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-init",
  sources: "any",
  any: [/\[WARNING IsDockerSystemdCheck\]: detected \\*"cgroupfs\\*"/u],
  all: [
    /[Tt]he kubelet isn't running or healthy|timed out waiting for the condition/u,
    /(?:Using Kubernetes version:|kubelet-config) ?v?-?1\.2[2-9]/u,
  ],
  specificity: 44,
  confidence: "low",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The runtime uses cgroupfs and the kubelet does not come up",
  summary: "The runtime uses cgroupfs while kubeadm expects systemd, and the kubelet does not come up",
  explanation:
    "kubeadm warned about the cgroupfs driver of the runtime and then waited for the kubelet in vain. Since 1.22 kubeadm gives the kubelet the systemd driver, so the two do not fit.",
  nextStep:
    "Set both to systemd: cgroupDriver in the kubelet configuration and SystemdCgroup = true (containerd) or native.cgroupdriver=systemd (docker) in KubeadmConfigTemplate spec.template.spec.files, then restart both",
  references: ["https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/configure-cgroup-driver/"],
} as const satisfies Rule;
