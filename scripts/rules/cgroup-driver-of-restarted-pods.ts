import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Somebody looked up the setting beside the events of a pod whose sandbox is made anew again and again. */
export const cgroupDriverOfRestartedPods = {
  kind: "failure",
  id: "cgroup-driver-of-restarted-pods",
  cause: "cgroup-driver-mismatch",
  reason: "CgroupDriverMismatch",
  platforms: ["linux"],
  stage: "runtime",
  sources: "any",
  any: [/^(?:\d{1,5}[:-])?\s{0,40}SystemdCgroup\s{0,4}=\s{0,4}false\b/u],
  all: [/Pod sandbox changed, it will be killed and re-created|Back-off restarting failed container/u],
  specificity: 10,
  confidence: "low",
  explains: ["control-plane-component-crash"],
  retryable: false,
  blame: "configuration",
  title: "containerd uses cgroupfs, and pods are restarted again and again",
  summary: "containerd has SystemdCgroup = false, and pods are restarted again and again",
  explanation:
    "The kubelet has used the systemd driver unless told otherwise since 1.22. Where the runtime uses the other one, containers are ended and begun anew without a word about why.",
  nextStep:
    "Set SystemdCgroup = true in containerd's configuration in KubeadmConfigTemplate spec.template.spec.files, or cgroupDriver in the kubelet configuration, then restart both",
  references: ["https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/configure-cgroup-driver/"],
} as const satisfies Rule;
