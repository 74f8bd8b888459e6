import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Without the pause image no pod starts, not even the API server: what the kubelet says about it is a symptom. */
export const sandboxImageNotPulled = {
  kind: "failure",
  id: "sandbox-image-not-pulled",
  cause: "image-pull-failed",
  reason: "ImagePullFailed",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [/failed to (?:get|pull) (?:sandbox|pause) image \\*"(?<image>[\w./:@-]{3,200})/u],
  recoveredBy: [/Successfully pulled image|Pulled image \\*"|returns sandbox id|Observed pod startup duration/u],
  minCount: 2,
  specificity: 46,
  confidence: "medium",
  explains: ["pod-sandbox-failed", "join-timeout-unknown", "kubelet-not-running", "cni-not-ready"],
  retryable: true,
  blame: "image",
  title: "The pause image cannot be pulled, so no pod starts",
  summary: "The sandbox image {image} is not on the node and cannot be pulled",
  explanation:
    "The runtime needs the pause image for each pod, also for the API server and etcd. The log does not say why the pull fails.",
  nextStep:
    "Put the image into the VM image, or set sandbox_image of containerd to a registry that the node reaches: KubeadmConfigTemplate spec.template.spec.files; pull it by hand with crictl to see the full error",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
