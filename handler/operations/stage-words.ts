import type { Stage } from "../diagnosis/diagnosis.ts";

const stageWords: Readonly<Record<Stage, string>> = {
  provisioning: "VM provisioning",
  "cloud-init": "cloud-init",
  packages: "package installation",
  runtime: "the container runtime",
  images: "image pulls",
  "kubeadm-preflight": "kubeadm preflight",
  "kubeadm-init": "kubeadm init",
  "kubeadm-join": "kubeadm join",
  kubelet: "the kubelet",
  network: "the node network",
  distribution: "the Kubernetes distribution",
  azure: "Azure",
  any: "",
};

/** The stage of a finding, in words that stand behind "in". Empty where the finding knows no stage. */
export function stageInWords(stage: Stage): string {
  return stageWords[stage];
}

/** A check's own stage name ("waiting-for-cloud-init") as words. */
export function checkStageInWords(stage: string): string {
  return stage.replaceAll(/[-_]+/gu, " ").trim();
}
