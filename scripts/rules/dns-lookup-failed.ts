import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Go's resolver (kubeadm, kubelet, containerd, k3s): `lookup NAME on SERVER:53: …`, or without a server when libc asks. */
export const dnsLookupFailed = {
  kind: "failure",
  id: "dns-lookup-failed",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /lookup (?<host>[^\s:]{1,253}) on (?<resolver>\S{2,60}):53: (?<answer>no such host|server misbehaving)/u,
    /lookup (?<host>[^\s:]{1,253}) on (?<resolver>\S{2,60}):53: (?<answer>read udp|dial udp|write udp)/u,
    /lookup (?<host>[^\s:]{1,253}): (?<answer>no such host|Temporary failure in name resolution|Try again|i\/o timeout|Name or service not known|device or resource busy)/u,
    /lookup (?<host>[^\s:]{1,253}): (?<answer>getaddrinfow: |No such host is known)/u,
  ],
  except: [
    // snapd looks for news before the network is up.
    /state ensure error/u,
    /\[WARNING Hostname\]|\[preflight\] WARNING: /u,
    // Talos's controllers are started again until the network is up.
    /"component": ?"controller-runtime"/u,
    // kubeadm falls back to its own version; not a failure.
    /could not fetch a Kubernetes version from the internet|unable to get URL "https:\/\/(?:dl\.k8s\.io|storage\.googleapis\.com)/u,
  ],
  specificity: 80,
  confidence: "high",
  explains: [
    "api-server-unreachable",
    "image-pull-timeout",
    "image-pull-failed",
    "join-timeout-unknown",
    "kubelet-not-running",
    "http-download-failed",
    "snap-install-failed",
    "pod-sandbox-failed",
    "cni-not-ready",
    "cloud-init-scripts-failed",
  ],
  retryable: true,
  blame: "network",
  title: "A name that the bootstrap needs cannot be resolved",
  summary: "{host} cannot be resolved ({answer}, resolver {resolver|of the system})",
  explanation:
    "The node asks its DNS server for the name and gets no address, so every step that uses the name fails: the join, image pulls or downloads.",
  nextStep:
    "Correct the DNS of the virtual network: AzureCluster spec.networkSpec.vnet, its DNS servers, private DNS zone link and spec.controlPlaneEndpoint.host; test with nslookup on the node",
  references: [
    "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
  ],
} as const satisfies Rule;
