import type { Rule } from "../../handler/diagnosis/rule.ts";

export const successNodeReady = {
  kind: "success",
  id: "success-node-ready",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /Fast updating node status as it just became ready/u,
    /Recording event message for node.{0,120}event=\\*"NodeReady\\*"/u,
  ],
  title: "The kubelet reports its node Ready",
  covers: ["runtime", "images", "kubeadm-join", "kubelet", "network"],
  settles: [
    "api-server-unreachable",
    "service-network-unreachable",
    "cni-not-ready",
    "pod-sandbox-failed",
    "kubeadm-not-run",
  ],
  final: true,
} as const satisfies Rule;
