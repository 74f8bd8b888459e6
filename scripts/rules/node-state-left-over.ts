import type { Rule } from "../../handler/diagnosis/rule.ts";

export const nodeStateLeftOver = {
  kind: "failure",
  id: "node-state-left-over",
  cause: "node-already-joined",
  reason: "NodeAlreadyJoined",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /\[ERROR FileAvailable-[^\]]{4,120}\]: (?<path>\S{4,200}) already exists/u,
    /^(?:\t| {0,8})(?<path>\/(?:etc\/kubernetes|var\/lib\/(?:etcd|kubelet))\S{0,80}) (?:already exists|is not empty)$/u,
    /\[ERROR DirAvailable-[^\]]{4,120}\]: (?<path>\S{4,200}) is not empty/u,
  ],
  specificity: 80,
  confidence: "high",
  explains: ["port-in-use"],
  retryable: false,
  blame: "image",
  title: "The machine carries the state of an earlier init or join",
  summary: "{path|State of an earlier bootstrap} already exists on this machine",
  explanation:
    "kubeadm found the files of an earlier run and refuses to go on. The disk, image or machine was used before, or an earlier attempt failed half-way.",
  nextStep:
    "Create the Machine from a clean image (AzureMachineTemplate spec.template.spec.image must be generalised after kubeadm reset); on a machine made by hand run kubeadm reset -f first",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-reset/"],
} as const satisfies Rule;
