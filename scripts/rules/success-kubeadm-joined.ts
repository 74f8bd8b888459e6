import type { Rule } from "../../handler/diagnosis/rule.ts";

export const successKubeadmJoined = {
  kind: "success",
  id: "success-kubeadm-joined",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /This node has joined the cluster/u,
    /control-plane has (?:been )?initialized successfully/u,
    /Your Kubernetes master has initialized successfully/u,
    /^\s*Node join complete:/u,
    // minikube, whose first try may fail.
    /Done! kubectl is now configured to use/u,
  ],
  title: "kubeadm finished",
  covers: [
    "provisioning",
    "packages",
    "runtime",
    "images",
    "kubeadm-preflight",
    "kubeadm-init",
    "kubeadm-join",
    "kubelet",
    "any",
  ],
  final: true,
} as const satisfies Rule;
