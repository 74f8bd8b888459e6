import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullNotInRegistry = {
  kind: "failure",
  id: "image-pull-not-in-registry",
  cause: "image-pull-not-found",
  reason: "ImagePullNotFound",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    [
      /(?<answer>manifest unknown|manifest for \S{3,200} not found|name unknown|NAME_UNKNOWN|MANIFEST_UNKNOWN|repository name not known to registry)/u,
      /(?:image|manifest) \\*"?(?<image>[a-z0-9][\w./:@-]{4,200})|manifest|name unknown|NAME_UNKNOWN|repository/u,
    ],
    /failed to resolve reference \\*"(?<image>[^"\\]{4,200})\\*": [^\s"]{4,200}: (?<answer>not found)/u,
    /repository (?<image>\S{3,200}) (?<answer>not found): does not exist/u,
    /Error response from daemon: unknown: (?:artifact|repository) (?<image>\S{3,200}) (?<answer>not found)/u,
    [
      /(?:[Pp]ull(?:ing|ed)? |ImagePull|PullImage|ErrImage|failed to resolve reference|\/v2\/|failed to do request|httpReadSeeker|registry-1\.docker\.io|failed to fetch (?:anonymous|oauth) token)/u,
      /(?<answer>404 Not Found|unexpected status code 404)/u,
    ],
    [
      /pull access denied for (?<image>[^\s,]{3,200})/u,
      /(?:k8s\.gcr\.io|registry\.k8s\.io|google_containers|k8sxio)\/|\/(?:coredns|etcd|pause|kube-(?:apiserver|proxy|scheduler|controller-manager))(?::|,|\/coredns)/u,
      /(?<answer>repository does not exist)/u,
    ],
  ],
  except: [/no basic auth credentials|authorization failed|40[13] /u, /no matching manifest for/u],
  recoveredBy: [/Successfully pulled image/u],
  specificity: 80,
  confidence: "high",
  explains: ["image-pull-failed", "pod-sandbox-failed", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The registry has no such image or tag",
  summary: "The registry has no image {image|of this name} ({answer|not found})",
  explanation:
    "The registry answers but does not hold the repository or the tag: a wrong version, a mirror without it, or a changed path such as coredns/coredns.",
  nextStep:
    "Check the repository and the tag: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository and in the pause image of containerd; list the tags of the registry and correct version, dns.imageRepository or dns.imageTag",
  references: ["https://kubernetes.io/docs/concepts/containers/images/"],
} as const satisfies Rule;
