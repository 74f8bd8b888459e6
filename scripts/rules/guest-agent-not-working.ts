import type { Rule } from "../../handler/diagnosis/rule.ts";

export const guestAgentNotWorking = {
  kind: "failure",
  id: "guest-agent-not-working",
  cause: "guest-agent-failed",
  reason: "GuestAgentFailed",
  platforms: ["linux", "windows"],
  stage: "provisioning",
  sources: "any",
  any: [
    /(?<what>VM agent status: Not Ready)/u,
    // WaAppAgent.log of Windows.
    /(?<what>GetVersions\(\) failed with exception[^\n]{0,100})/u,
    /(?<what>\[ProtocolError\] \[Wireserver Exception\] [^\n]{5,100})/u,
    [
      /(?:ExtHandler|Daemon|waagent|wireserver)/iu,
      /(?<what>IOError timed out|\[HttpError\][^\n]{0,60}168\.63\.129\.16[^\n]{0,60}|Failed to (?:connect to|reach) wireserver)/iu,
    ],
  ],
  // Telemetry and blobs of the storage, which the agent retries for ever: the goal state does not hang on them.
  except: [/SendHostPluginHeartbeat|SendTelemetry|blob\.core\.|\.vmSettings/u],
  recoveredBy: [
    /ProcessExtensionsGoalState completed|Fetched new (?:goal state|vmSettings)|Fetched a new incarnation|GetVersions\(\) succeeded|Wire protocol version:/u,
  ],
  minCount: 2,
  specificity: 58,
  confidence: "medium",
  retryable: true,
  blame: "image",
  title: "The Azure guest agent does not work",
  summary: "The guest agent fails: {what}",
  explanation: "The agent cannot provision the machine or talk to 168.63.129.16. Extensions then never run.",
  nextStep:
    "Check the agent and 168.63.129.16: walinuxagent in the image (AzureMachineTemplate spec.template.spec.image) and that nothing (firewall, proxy, CNI policy) blocks 168.63.129.16 ports 80 and 32526",
  references: ["https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16"],
} as const satisfies Rule;
