import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubeadm was given a proxy that its own ranges are not excepted from, and the runtime, which pulls, says no reason. */
export const proxyOfKubeadmAlone = {
  kind: "failure",
  id: "proxy-of-kubeadm-alone",
  cause: "proxy-misconfigured",
  reason: "ProxyMisconfigured",
  platforms: ["linux"],
  stage: "images",
  sources: "any",
  any: [/\[ERROR ImagePull\]: failed to pull image \[(?<image>[^\]\s]{4,200})\]: exit status 1$/u],
  all: [/\[WARNING HTTPProxyCIDR\]: connection to "[^"]{7,80}" uses proxy/u],
  specificity: 40,
  confidence: "low",
  explains: ["image-pull-failed"],
  retryable: false,
  blame: "configuration",
  title: "kubeadm goes through a proxy, and the runtime pulls no image",
  summary: "kubeadm goes through a proxy, and the runtime cannot pull {image|images}",
  explanation:
    "The proxy is set for kubeadm, and its own ranges are not excepted. The runtime pulls the images and has settings of its own; mostly it has no proxy at all.",
  nextStep:
    "Set the proxy for the runtime and the kubelet by drop-ins of their units (KubeadmConfigTemplate spec.template.spec.files), with node, service and pod ranges in no_proxy",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
