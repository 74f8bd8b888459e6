import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullNoAnswer = {
  kind: "failure",
  id: "image-pull-no-answer",
  cause: "image-pull-timeout",
  reason: "ImagePullTimeout",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    [
      /(?:[Pp]ull(?:ing)? (?:image|and unpack image)|ImagePull|PullImage|failed to resolve reference|\/v2\/|failed to do request|httpReadSeeker|registry-1\.docker\.io|failed to (?:get|pull) (?:sandbox|pause) image|failed to fetch (?:anonymous|oauth) token|docker pull|extract runtime image)/u,
      /(?:image|reference) \\*"?(?<image>[a-z0-9][\w.-]{0,100}[./:][\w./:@-]{2,200})|image|\/v2\/|failed to/u,
      /(?<answer>i\/o timeout|Client\.Timeout exceeded|TLS handshake timeout|context deadline exceeded|connection reset by peer|connection refused|no route to host|network is unreachable|connection timed out|unexpected EOF|: EOF|DeadlineExceeded|INTERNAL_ERROR; received from peer|request canceled while waiting for connection|connectex: A connection attempt failed)/u,
    ],
    /[Cc]ancel pulling image (?<image>[\w./:@-]{4,200}) because of (?<answer>no progress in \w{2,12})/u,
    /failed to pull and unpack image \\*"(?<image>[\w./:@-]{4,200})\\*": (?<answer>context canceled)/u,
  ],
  except: [
    // RKE2 and k3s import from archives and go on.
    /failed to pull images from file|Error encountered while importing/u,
    // The registry does answer.
    /StatusCode: [45]\d\d/u,
    /dial unix|: lookup |configmaps|kube-(?:system|public)\/configmaps/u,
    /https?:\/\/(?:localhost|127\.0\.0\.1):(?:10248|6443|10250)/u,
  ],
  recoveredBy: [
    /Successfully pulled image|Pulled image:? |PullImage \\*".{4,200}\\*" returns image reference|Image is up to date for|Downloaded newer image for|\[config\/images\] Pulled/u,
  ],
  specificity: 72,
  confidence: "high",
  explains: ["image-pull-failed", "pod-sandbox-failed", "join-timeout-unknown", "kubelet-not-running"],
  retryable: true,
  blame: "network",
  title: "The registry cannot be reached",
  summary: "The registry does not answer for {image|an image} ({answer})",
  explanation:
    "The runtime asks the registry for an image and gets no answer, or the connection breaks: no way out, a firewall, a blocked site or a missing proxy.",
  nextStep:
    "Open outbound 443 to the registry (NAT gateway, firewall, route in AzureCluster spec.networkSpec), set a proxy for containerd in KubeadmConfigTemplate spec.template.spec.files, or use a mirror (imageRepository)",
  references: ["https://kubernetes.io/docs/concepts/containers/images/"],
} as const satisfies Rule;
