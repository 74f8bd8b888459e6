import type { Rule } from "../../handler/diagnosis/rule.ts";

export const inotifyLimit = {
  kind: "failure",
  id: "inotify-limit",
  cause: "host-environment-restricted",
  reason: "HostEnvironmentRestricted",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  any: [
    /(?<call>inotify_init1?|inotify_add_watch)[^\w\n].{0,200}?(?<answer>too many open files|no space left on device)/iu,
    /(?<call>fsnotify watcher|inotify (?:instance|watch(?:er)?|object)|directory watch)[^\w\n].{0,80}?(?<answer>too many open files|no space left on device)/iu,
    /(?<answer>user limit on the total number of inotify watches was reached|Too many open files).{0,40}(?<call>inotify)/iu,
  ],
  specificity: 84,
  confidence: "high",
  explains: [
    "kubelet-not-running",
    "container-runtime-not-running",
    "join-timeout-unknown",
    "control-plane-component-crash",
    "cni-not-ready",
    "pod-sandbox-failed",
    "cloud-init-scripts-failed",
  ],
  retryable: false,
  blame: "image",
  title: "The kernel gives no more inotify watches",
  summary: "The limit of inotify is reached ({call}: {answer})",
  explanation:
    "The kubelet, the container runtime and many pods watch files through inotify, and the kernel counts instances and watches for each user. The limit is too low for this node; its disk and its open files have nothing to do with it.",
  nextStep:
    "Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches: in the image, or by a file below /etc/sysctl.d in KubeadmConfigTemplate spec.template.spec.files, and sysctl --system in preKubeadmCommands",
  references: ["https://man7.org/linux/man-pages/man7/inotify.7.html"],
} as const satisfies Rule;
