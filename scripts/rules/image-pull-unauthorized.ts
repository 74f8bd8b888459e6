import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullUnauthorized = {
  kind: "failure",
  id: "image-pull-unauthorized",
  cause: "image-pull-auth",
  reason: "ImagePullAuth",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    [
      /(?:[Pp]ull(?:ing|ed)? |ImagePull|PullImage|ErrImage|failed to resolve reference|\/v2\/|failed to do request|httpReadSeeker|registry-1\.docker\.io|failed to fetch (?:anonymous|oauth) token)/u,
      /(?<answer>unauthorized: authentication required|401 Unauthorized|403 Forbidden|no basic auth credentials|authorization failed|access forbidden|denied: access|UNAUTHORIZED|unexpected status(?: code)?[^\n]{0,160}40[13])/u,
    ],
    [
      /[Ff]ailed to pull image|PullImage|ErrImagePull|\/v2\//u,
      /(?<answer>: (?:denied|unauthorized)(?=[:\s"\\]|$)|no credentials on this request|requested access to the resource is denied|access to the requested resource is not authorized)/u,
    ],
    [/pull access denied/u, /(?<answer>pull access denied)/u],
    /(?<answer>unauthorized: authentication required)/u,
    /(?<answer>error getting credentials - err: [^\n]{5,100})/u,
    /(?<answer>unable to retrieve auth token: invalid username\/password|authorization token has expired\. Reauthenticate)/u,
  ],
  except: [
    [
      /pull access denied for/u,
      /(?:k8s\.gcr\.io|registry\.k8s\.io|google_containers|k8sxio)\/|\/(?:coredns|etcd|pause|kube-(?:apiserver|proxy|scheduler|controller-manager))(?::|,|\/coredns)/u,
    ],
  ],
  recoveredBy: [/Successfully pulled image/u],
  specificity: 76,
  confidence: "high",
  explains: ["image-pull-failed", "pod-sandbox-failed", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The registry refuses the credentials, or wants some",
  summary: "The registry refuses the pull ({answer})",
  explanation:
    "The registry answers that the node may not pull: no credentials, wrong ones, or the identity of the VM has no pull role.",
  nextStep:
    "Give the identity the role AcrPull: the one in AzureMachineTemplate spec.template.spec.identity and userAssignedIdentities; or configure the credential provider of the kubelet, or correct the registry secret",
  references: ["https://learn.microsoft.com/azure/container-registry/container-registry-faq"],
} as const satisfies Rule;
