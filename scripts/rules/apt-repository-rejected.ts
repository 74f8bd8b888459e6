import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aptRepositoryRejected = {
  kind: "failure",
  id: "apt-repository-rejected",
  cause: "apt-repository-failed",
  reason: "AptRepositoryFailed",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /The repository '(?<repo>[^']{5,200})' (?:is not signed|does(?: not|n't) have a Release file|no longer has a Release file|is no longer signed)/u,
    /GPG error: (?<repo>\S{5,200}).{0,200}(?:NO_PUBKEY|EXPKEYSIG|REVKEYSIG|BADSIG|couldn't be verified|signatures were invalid)/u,
    [
      /(?:Failed to fetch|Err ?:\d{1,3}) (?<repo>https?:\/\/\S{5,200}(?: [\w./-]{2,40} {1,2}(?:In)?Release)?)/u,
      /404 {1,2}Not Found|403 {1,2}Forbidden|Certificate verification failed|Hash Sum mismatch|File has unexpected size/u,
    ],
    /E: Malformed (?:entry|line|stanza) \d{1,4} in (?:list file|source list|sources file) (?<repo>\S{5,200})/u,
    /E: Conflicting values set for option Signed-By regarding source (?<repo>\S{5,200})/u,
    /(?:Hash Sum mismatch|File has unexpected size|Certificate verification failed: The certificate is NOT trusted)/u,
    /(?:Public key for \S{4,120} is not installed|GPG check FAILED|repomd\.xml signature could not be)/u,
    /Failed to download metadata for repo '?(?<repo>[\w.-]{1,80})'?: [^\n]{0,40}GPG (?:signature|verification) /u,
    /(?<repo>https?:\/\/\S{5,200}repomd\.xml): \[Errno 14\] HTTPS? Error 40[34]/u,
    /Status code: 40[34] for (?<repo>https?:\/\/\S{5,200}repomd\.xml)/u,
    /E: The method driver \S{5,120} could not be found/u,
    /E: (?:Problem with MergeList|Unable to parse package file) (?<repo>\S{5,200})/u,
    /The GPG keys listed for the "(?<repo>[^"\n]{1,100})" repository are already installed but they are not correct/u,
    /key does not seem to have been added/u,
    /(?<repo>[\w.-]{2,80}): GPG key retrieval failed|Error: GPG check FAILED|Signature verification failed for file '?repomd\.xml/u,
  ],
  recoveredBy: [/\bComplete!|(?:Setting up|Unpacking) (?:kubeadm|kubelet|containerd|cri-o|docker)/u],
  specificity: 70,
  confidence: "high",
  explains: ["package-not-found", "cloud-init-scripts-failed", "preflight-binary-missing", "vm-extension-failed"],
  retryable: false,
  blame: "configuration",
  title: "A package repository answers wrongly",
  summary: "The repository {repo|of the packages} cannot be used",
  explanation:
    "The repository has no such release, its key is missing or expired, or its certificate does not verify. Its packages are not installed.",
  nextStep:
    "Correct the source line and its key: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or KubeadmConfigTemplate spec.template.spec.files (pkgs.k8s.io replaced apt.kubernetes.io), or use an image that holds the packages (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://kubernetes.io/blog/2023/08/15/pkgs-k8s-io-introduction/"],
} as const satisfies Rule;
