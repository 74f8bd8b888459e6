import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullFailedGeneric = {
  kind: "failure",
  id: "image-pull-failed-generic",
  cause: "image-pull-failed",
  reason: "ImagePullFailed",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    /\[ERROR ImagePull\]: failed to pull image \\*"?(?<image>[\w./:@-]{3,200})/u,
    /(?:Back-off pulling image|[Ff]ailed to pull image|PullImage) \\*"(?<image>[\w./:@-]{3,200})/u,
    /(?:ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName)/u,
    /PullImage from image service failed|"Failed to pull image" err=|filesystem layer verification failed for digest/u,
    /Source image rejected: /u,
    // Docker's.
    /Error pulling image \([\w.-]{1,100}\) from (?<image>[\w./:@-]{3,200})/u,
    [
      /failed to (?:get|pull) (?:the )?(?:sandbox|pause) image|failed to pull and unpack image/u,
      /image \\*"(?<image>[\w./:@-]{3,200})/u,
    ],
    /(?:failed to extract|failed to pull) (?:runtime )?image (?:from )?\\*"?(?<image>[\w./:@-]{6,200})/u,
  ],
  // Nothing that a node needs is in the namespace "default": what stands there its users started.
  except: [/level=info|returns image reference|failed to pull images from file/u, /\bpod="default\/|_default\(/u],
  recoveredBy: [
    /Successfully pulled image|Pulled image:? |PullImage \\*".{4,200}\\*" returns image reference|Image is up to date for|Downloaded newer image for|\[config\/images\] Pulled/u,
  ],
  specificity: 28,
  confidence: "medium",
  explains: ["pod-sandbox-failed", "join-timeout-unknown", "kubelet-not-running"],
  retryable: true,
  blame: "network",
  title: "An image cannot be pulled",
  summary: "The image {image|of a component} cannot be pulled",
  explanation: "A container image that the node needs does not arrive, and this log does not say why more exactly.",
  nextStep:
    "Check the repository and the tag: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository and in the pause image of containerd; pull the same image with crictl pull on the node to see the full error",
  references: ["https://kubernetes.io/docs/concepts/containers/images/"],
} as const satisfies Rule;
