import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksOutboundBlocked = {
  kind: "failure",
  id: "aks-outbound-blocked",
  cause: "outbound-connectivity-blocked",
  reason: "OutboundConnectivityBlocked",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>Unable to establish outbound connection from agents)/u,
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")50\b)/u,
    ],
    // A traced script also prints the assignment of the code.
    /(?<what>ERR_OUTBOUND_CONN_FAIL(?!=)|OutboundConnFail\w{0,40})/u,
    /nc: connect to (?!\S{3,100}azmk8s\.io)(?<what>\S{3,120} port 443) .{0,40}(?:timed out|failed)/u,
    // Azure Firewall answers a forbidden address itself.
    /(?<what>HTTP\/1\.1 470 |Action: Deny\. (?:Reason: |Rule)[^\n]{0,60}|No rule matched\. Proceeding with default action)/u,
  ],
  specificity: 86,
  confidence: "high",
  explains: ["http-download-failed", "image-pull-timeout", "vm-extension-failed"],
  retryable: false,
  blame: "network",
  title: "The node cannot reach the public addresses that it needs",
  summary: "Outbound traffic is blocked: {what|no way out}",
  explanation:
    "A firewall, route table or security group keeps the node from the registry and the package servers, or NAT is missing.",
  nextStep:
    "Give the subnet a way out: natGateway or nodeOutboundLB, security rules and routeTable in AzureCluster spec.networkSpec; allow the required addresses in the firewall",
  references: ["https://learn.microsoft.com/azure/aks/outbound-rules-control-egress"],
} as const satisfies Rule;
