import type { Rule } from "../../handler/diagnosis/rule.ts";

export const successKubeletRegistered = {
  kind: "success",
  id: "success-kubelet-registered",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [/Successfully registered node/u],
  title: "The kubelet registered its node",
  covers: ["kubelet", "kubeadm-join", "runtime"],
  settles: [
    "api-server-unreachable",
    "service-network-unreachable",
    "kubeadm-not-run",
    "container-runtime-not-running",
  ],
  final: false,
} as const satisfies Rule;
