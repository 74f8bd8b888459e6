import type { Rule } from "../../handler/diagnosis/rule.ts";

export const windowsHnsFailed = {
  kind: "failure",
  id: "windows-hns-failed",
  cause: "hns-network-failed",
  reason: "HnsNetworkFailed",
  platforms: ["windows", "linux"],
  stage: "network",
  sources: "any",
  any: [
    /(?<what>HNS failed with error ?: ?[^\n"]{3,100})/u,
    /(?<what>hnsCall failed in Win32[^\n"]{0,100})/u,
    /(?<what>hcn(?:Create|Modify|Open|Query|List|Delete|Enumerate)\w{3,30} failed[^\n"]{0,100})/u,
    [
      /Invoke-Hns\w{3,20}|New-Hns\w{3,20}|HNS|hostnetsvc/u,
      /(?<what>ErrorCode\W{0,8}2151350\d{3}|\b2151350\d{3}; onecore[^\n"]{10,120}|0x803[bB]00[0-9A-Fa-f]{2})/u,
    ],
  ],
  except: [
    [/hcnCreateEndpoint/u, /^(?!.{0,400}Source Vip endpoint)/u],
    [/hcn(?:Open|Query|Delete)\w{3,30}/u, /not found/u],
  ],
  specificity: 78,
  confidence: "high",
  explains: [
    "pod-sandbox-failed",
    "cni-not-ready",
    "cni-install-failed",
    "container-runtime-not-running",
    "hcs-container-start-failed",
    "windows-service-start-failed",
  ],
  retryable: false,
  blame: "configuration",
  title: "The Windows Host Networking Service refuses a request",
  summary: "HNS failed: {what}",
  explanation:
    "HNS cannot create, find or change the network, endpoint or load balancer that the CNI plugin, kube-proxy or the engine asks for.",
  nextStep:
    "Remove left-over networks (Get-HnsNetwork) and restart hns before the network add-on; compare adapter names and the Windows build of the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
} as const satisfies Rule;
