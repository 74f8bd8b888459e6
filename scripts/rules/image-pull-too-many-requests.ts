import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullTooManyRequests = {
  kind: "failure",
  id: "image-pull-too-many-requests",
  cause: "image-pull-rate-limited",
  reason: "ImagePullRateLimited",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    /(?<answer>toomanyrequests)/u,
    [
      /(?:[Pp]ull(?:ing|ed)? |ImagePull|PullImage|ErrImage|failed to resolve reference|\/v2\/|failed to do request|httpReadSeeker|registry-1\.docker\.io|failed to fetch (?:anonymous|oauth) token)/u,
      /(?<answer>429 Too Many Requests|pull rate limit)/u,
    ],
    /(?<answer>You have reached your (?:unauthenticated )?pull rate limit)/u,
    /(?<answer>error parsing HTTP 429 response body|too many requests, retry-after)/u,
    /(?<answer>Quota exceeded for quota metric 'Requests per [^'\n]{3,80})/u,
  ],
  recoveredBy: [/Successfully pulled image/u],
  specificity: 88,
  confidence: "high",
  explains: ["image-pull-failed", "image-pull-auth", "pod-sandbox-failed", "cni-not-ready", "join-timeout-unknown"],
  retryable: true,
  blame: "network",
  title: "The registry limits the number of pulls",
  summary: "The registry limits the pulls of this node ({answer})",
  explanation:
    "The registry counts the pulls of this address or account and refuses more for some hours. All nodes behind one NAT address share the count.",
  nextStep:
    "Pull from a registry of your own or a cache: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository, containerd mirrors in spec.files, or give credentials",
  references: ["https://docs.docker.com/docker-hub/usage/pulls/"],
} as const satisfies Rule;
