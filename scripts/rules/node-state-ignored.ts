import type { Rule } from "../../handler/diagnosis/rule.ts";

/** A kubeadm that was told to go past the files of an earlier run, and then meets its programs. */
export const nodeStateIgnored = {
  kind: "failure",
  id: "node-state-ignored",
  cause: "node-already-joined",
  reason: "NodeAlreadyJoined",
  platforms: ["linux"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [/\[WARNING FileAvailable--etc-kubernetes-manifests-[\w.-]{3,60}\]: (?<path>\S{4,200}) already exists/u],
  all: [/\[ERROR Port-(?:6443|10250|10257|10259|2379|2380)\]/u],
  specificity: 82,
  confidence: "high",
  explains: ["port-in-use"],
  retryable: false,
  blame: "configuration",
  title: "The control plane of an earlier init still runs on this machine",
  summary: "{path|The state of an earlier bootstrap} already exists, and its programs still hold their ports",
  explanation:
    "The check for the files of an earlier run was ignored, so kubeadm went on to the ports, which that run's control plane holds.",
  nextStep:
    "Create the Machine from a clean image (AzureMachineTemplate spec.template.spec.image must be generalised after kubeadm reset); on a machine made by hand run kubeadm reset -f first",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-reset/"],
} as const satisfies Rule;
