import type { Rule } from "../../handler/diagnosis/rule.ts";

export const downloadYumMirrorFailed = {
  kind: "failure",
  id: "download-yum-mirror-failed",
  cause: "http-download-failed",
  reason: "HttpDownloadFailed",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /Could not retrieve mirrorlist (?<url>\S{8,200})/u,
    /Timeout on (?<url>https?:\/\/\S{8,200}):/u,
    /\[Errno 1[24]\] (?:curl#\d{1,2} - |Timeout on |HTTPS? Error )/u,
    /Failed to download metadata for repo(?![^\n]{1,90}\bGPG )|Cannot download repomd\.xml|Cannot prepare internal mirrorlist/u,
    /Cannot find a valid baseurl for repo/u,
    // What is told before each mirror: how that one answered decides.
    /Errors during downloading metadata for repository|\[Errno 256\] No more mirrors to try/u,
    /Curl error \((?:6|7|28|35)\): [^\n]{5,80} for (?<url>\S{8,200})/u,
  ],
  recoveredBy: [
    /\bComplete!|^Resolving Dependencies|^Dependencies [Rr]esolved|^Metadata cache created|Setting up (?:kubeadm|kubelet|containerd|cri-o|docker)/u,
  ],
  specificity: 68,
  confidence: "high",
  explains: ["package-not-found", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "network",
  title: "A yum, dnf, zypper or tdnf repository cannot be reached",
  summary: "The package mirror {url|of the system} cannot be reached",
  explanation:
    "The package manager gets no answer from the mirror, or not the list it needs. No package is installed, and the programs are missing later.",
  nextStep:
    "Open the way to the mirror: NAT gateway, firewall or proxy in AzureCluster spec.networkSpec; or use an image that holds the packages: AzureMachineTemplate spec.template.spec.image",
  references: ["https://dnf.readthedocs.io/en/latest/conf_ref.html"],
} as const satisfies Rule;
