import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imagePullTlsOrProtocol = {
  kind: "failure",
  id: "image-pull-tls-or-protocol",
  cause: "image-pull-failed",
  reason: "ImagePullFailed",
  platforms: ["linux", "windows"],
  stage: "images",
  sources: "any",
  any: [
    [
      /(?:[Pp]ull(?:ing|ed)? |ImagePull|PullImage|ErrImage|failed to resolve reference|\/v2\/|failed to do request|httpReadSeeker|registry-1\.docker\.io|failed to fetch (?:anonymous|oauth) token)/u,
      /(?<answer>x509: certificate signed by unknown authority|x509: certificate is valid for|http: server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake|x509: cannot validate certificate)/u,
    ],
  ],
  specificity: 66,
  confidence: "high",
  explains: ["pod-sandbox-failed", "join-timeout-unknown", "api-server-cert-invalid"],
  retryable: false,
  blame: "configuration",
  title: "The registry does not speak TLS as the runtime expects",
  summary: "The registry of the image fails at TLS: {answer}",
  explanation:
    "The runtime reaches the registry but does not accept what it says: a certificate from an unknown authority (private registry or TLS inspection), or plain HTTP.",
  nextStep:
    "Give containerd the registry's CA: certs or hosts.toml in KubeadmConfigTemplate spec.template.spec.files, or except the registry from TLS inspection",
  references: ["https://github.com/containerd/containerd/blob/main/docs/hosts.md"],
} as const satisfies Rule;
