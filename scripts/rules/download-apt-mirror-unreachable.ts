import type { Rule } from "../../handler/diagnosis/rule.ts";

export const downloadAptMirrorUnreachable = {
  kind: "failure",
  id: "download-apt-mirror-unreachable",
  cause: "http-download-failed",
  reason: "HttpDownloadFailed",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /Could not connect to (?<host>\S{3,253}):\d{2,5} \([^)]{3,60}\)[.,]? ?(?:- connect|connection timed out)?/u,
    /Unable to connect to (?<host>[^\s:]{3,253}):(?:https?|\d{2,5}):?/u,
    [
      /Failed to fetch (?<url>https?:\/\/\S{8,200})/u,
      /Connection (?:failed|timed out)|Cannot initiate the connection|Unable to connect|Could not connect/u,
    ],
    /Cannot initiate the connection to (?<host>[^\s:]{3,253}):\d{2,5}/u,
  ],
  // Another mirror had them.
  recoveredBy: [
    /(?:Setting up|Unpacking) (?:kubeadm|kubelet|containerd|cri-o|docker)|\b(?:kubeadm|kubelet|containerd)\S{0,12} is already the newest version/u,
  ],
  specificity: 66,
  confidence: "high",
  explains: ["package-not-found", "cloud-init-scripts-failed", "apt-repository-failed"],
  retryable: true,
  blame: "network",
  title: "An apt mirror does not answer",
  summary: "The apt mirror {host|of the system} does not answer",
  explanation:
    "apt cannot connect to the mirror: the node has no way out, or a firewall drops the packets. Nothing is installed, and the programs are missing later.",
  nextStep:
    "Open the way to the mirror: NAT gateway, firewall or proxy in AzureCluster spec.networkSpec; or use an image that holds the packages: AzureMachineTemplate spec.template.spec.image",
  references: ["https://manpages.ubuntu.com/manpages/jammy/man8/apt-get.8.html"],
} as const satisfies Rule;
