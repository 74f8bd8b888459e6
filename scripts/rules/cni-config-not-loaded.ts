import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Somebody listed the folder of CNI configurations beside the kubelet's complaint that there is none. */
export const cniConfigNotLoaded = {
  kind: "failure",
  id: "cni-config-not-loaded",
  cause: "cni-not-ready",
  reason: "CniNotReady",
  platforms: ["linux"],
  stage: "network",
  sources: "any",
  any: [/cni plugin not initialized|cni config uninitialized/u],
  all: [/^(?:-\S{8,10}\s.{10,60}\s)?(?<file>\d{2}-[\w.-]{2,60}\.conflist)$/u],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready|Successfully registered node/u],
  minCount: 2,
  specificity: 14,
  confidence: "low",
  retryable: true,
  blame: "configuration",
  title: "A CNI configuration is there, and the runtime has not loaded it",
  summary: "The CNI configuration {file|of the network add-on} is there, and the runtime has not loaded it",
  explanation:
    "The runtime watches the folder of CNI configurations, and loses the watch where the folder is made anew; a configuration that it cannot read is passed over, too.",
  nextStep:
    "Restart the runtime and read its log for the configuration; where an add-on makes the folder anew, add the restart to KubeadmConfigTemplate spec.template.spec.postKubeadmCommands",
  references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
} as const satisfies Rule;
