import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubeadm waited and gave up; says nothing about why. Any other finding explains it. */
export const kubeadmJoinTimedOut = {
  kind: "failure",
  id: "kubeadm-join-timed-out",
  cause: "join-timeout-unknown",
  reason: "BootstrapTimedOut",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /error execution phase (?<phase>[a-z-]{3,40}): failed while waiting for the control plane to start/u,
    /error execution phase (?<phase>[a-z/-]{3,60}): Error writing Crisocket information .{0,80}not found/u,
    /couldn't initialize a Kubernetes cluster/u,
    /^error marking (?:master|node|control-plane): timed out waiting for the condition/u,
    // Until 1.13, and where the phase was cut off: the node has not registered, and why is the kubelet's to say.
    /^(?:\[\S{3,40}\] |error execution phase \S{3,40}: )?error uploading crisocket(?:: nodes? \\*"?[\w.-]{1,253}\\*"? not found)?$/u,
    // Its advice, which it gives only where it gave up, or the beginning of it.
    /^\s{0,8}Unfortunately, an error has occurred:$/u,
    /a control plane component may have crashed or exited when started by the container runtime/u,
    /error execution phase (?<phase>[a-z/-]{3,60}): .{0,200}(?:timed out waiting for the condition|context deadline exceeded)/u,
    /error execution phase (?<phase>[a-z-]{3,40}): couldn't initialize a Kubernetes cluster/u,
    /error execution phase (?<phase>[a-z-]{3,40}): (?:error uploading crisocket: )?timed out waiting for the condition/u,
    /error execution phase (?<phase>[a-z-]{3,40}): (?:could not initialize a Kubernetes cluster|could not find any control plane node)/u,
  ],
  specificity: 8,
  confidence: "low",
  explains: ["cloud-init-scripts-failed"],
  retryable: true,
  blame: "cluster",
  title: "kubeadm waited and gave up, and the log does not show why",
  summary: "kubeadm phase {phase|unknown} timed out",
  explanation: "The kubelet or a control-plane container did not come up in time. Its own log holds the reason.",
  nextStep:
    "Read journalctl -u kubelet and crictl ps -a on the node; then correct KubeadmConfig spec.initConfiguration or spec.joinConfiguration",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
} as const satisfies Rule;
