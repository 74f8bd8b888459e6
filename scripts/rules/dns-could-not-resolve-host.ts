import type { Rule } from "../../handler/diagnosis/rule.ts";

/** curl, wget, git, apt, Python and PowerShell in their own words. */
export const dnsCouldNotResolveHost = {
  kind: "failure",
  id: "dns-could-not-resolve-host",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux", "windows"],
  stage: "packages",
  sources: "any",
  any: [
    /(?:curl: \(6\) |fatal: .{0,120})Could not resolve host: (?<host>[^\s;,]{1,253})/u,
    /Temporary failure resolving '(?<host>[^']{1,253})'/u,
    /Could not resolve '(?<host>[^']{1,253})'/u,
    /unable to resolve host address [‘'"`](?<host>[^’'"`]{1,253})/u,
    /(?:NameResolutionError|Failed to resolve) .{0,80}'(?<host>[^'\s]{1,253})'/u,
    /Failed to establish a new connection: \[Errno (?:-[235]|11001)\]/u,
    /The remote name could not be resolved: '(?<host>[^']{1,253})'/u,
    // The same in whatever language, by Windows' code for it.
    /Invoke-(?:WebRequest|RestMethod) : [^\n]{3,200}\(0x80072EE7\)/u,
    /Could not resolve host: (?<host>[^\s;,]{1,253})/u,
    /Resolving timed out after \d{1,7} milliseconds/u,
    /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[^\s;,]{1,253})/u,
  ],
  except: [/sudo: unable to resolve host/u, /169\.254\.169\.254|metadata\.packet\.net/u],
  // What nobody could install is installed.
  recoveredBy: [/^Setting up (?:kubeadm|kubelet) \(/u],
  specificity: 78,
  confidence: "high",
  explains: [
    "http-download-failed",
    "apt-repository-failed",
    "package-not-found",
    "cloud-init-scripts-failed",
    "preflight-binary-missing",
  ],
  retryable: true,
  blame: "network",
  title: "A program could not resolve a host name",
  summary: "{host|A host name} cannot be resolved on the node",
  explanation:
    "A download or package step asked for a name and the resolver of the node gave no address. The files or packages that it should fetch are missing, so later steps fail too.",
  nextStep:
    "Correct the DNS of the virtual network (AzureCluster spec.networkSpec.vnet and its DNS servers), or the host name in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: [
    "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
  ],
} as const satisfies Rule;
