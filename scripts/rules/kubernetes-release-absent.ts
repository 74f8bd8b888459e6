import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The server of the releases answers that there is none of this version. */
export const kubernetesReleaseAbsent = {
  kind: "failure",
  id: "kubernetes-release-absent",
  cause: "unsupported-kubernetes-version",
  reason: "UnsupportedKubernetesVersion",
  platforms: ["linux", "windows"],
  stage: "packages",
  sources: "any",
  any: [
    /(?<answer>requested URL returned error: 404|invalid status code: 404|\bError 404\b|404: Not Found|Status: 404|404 Not Found)/u,
    /Code>(?<answer>NoSuchKey)</u,
  ],
  all: [
    /(?:dl\.k8s\.io|kubernetes-release)\/\S{0,60}v\d|\/(?:k3s|rke2|k0s|kubernetes)\/releases\/download\/v\d\S{0,40}\/|[Dd]ownloading kube(?:adm|let|ctl) v\d|kubernetes-release\/release\/v\.txt/u,
  ],
  recoveredBy: [/\[INFO\]\s{1,3}(?:[Vv]erifying|[Ii]nstalling|[Uu]npacking)|200 OK/u],
  specificity: 72,
  confidence: "medium",
  explains: ["http-download-failed", "cloud-init-scripts-failed", "preflight-binary-missing"],
  retryable: false,
  blame: "configuration",
  title: "There is no such release of Kubernetes",
  summary: "The release that is asked for does not exist ({answer})",
  explanation:
    "The server of the releases answers, and has nothing under this version, or not for this architecture. The version is mistyped, lacks its suffix, or was never released.",
  nextStep:
    "Correct the version: KubeadmControlPlane spec.version and MachineDeployment spec.template.spec.version; k3s and RKE2 need the whole name, with its suffix",
  references: ["https://kubernetes.io/releases/"],
} as const satisfies Rule;
