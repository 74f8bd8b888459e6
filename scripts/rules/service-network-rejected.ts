import type { Rule } from "../../handler/diagnosis/rule.ts";

export const serviceNetworkRejected = {
  kind: "failure",
  id: "service-network-rejected",
  cause: "service-network-unreachable",
  reason: "ServiceNetworkUnreachable",
  platforms: ["linux"],
  stage: "network",
  sources: "any",
  any: [
    /https:\/\/\[?(?<address>10\.\d{1,3}\.0\.1|172\.\d{1,3}\.0\.1|10\.152\.183\.1)\]?:443\/.{0,300}no route to host/u,
  ],
  // Before kube-proxy has begun there is no answer; this one is.
  minCount: 3,
  specificity: 54,
  confidence: "medium",
  explains: ["cni-not-ready", "pod-sandbox-failed", "cni-install-failed"],
  retryable: false,
  blame: "image",
  title: "A firewall of the node rejects what pods send to the API server's Service",
  summary: "Pods are told that there is no route to the API server's Service address {address}",
  explanation:
    "No answer would be a time-out; this is an answer, which the firewall of a machine gives as it rejects (firewalld, ufw, iptables). Pods can then reach no Service.",
  nextStep:
    "Switch off the firewall of the image or let it trust the pod and Service ranges: AzureMachineTemplate spec.template.spec.image or KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"],
} as const satisfies Rule;
