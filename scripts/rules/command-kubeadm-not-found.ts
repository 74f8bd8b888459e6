import type { Rule } from "../../handler/diagnosis/rule.ts";

export const commandKubeadmNotFound = {
  kind: "failure",
  id: "command-kubeadm-not-found",
  cause: "preflight-binary-missing",
  reason: "PreflightBinaryMissing",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /(?<program>kubeadm|kubelet|kubectl|crictl|containerd|conntrack|modprobe|iptables): (?:command )?not found/u,
    /(?:Unit|Failed to \w{4,8} unit: Unit file) (?<program>kubelet)\.service (?:not found|could not be found|does not exist)/u,
    /cannot execute '(?<program>kubelet) --version': executable file not found/u,
    /exec: \\*"(?<program>conntrack|iptables|ip|mount|nsenter|ethtool|tc|socat|crictl|runc|crun)\\*": executable file not found in \$PATH/u,
  ],
  except: [/Not using `|level=info|is being ignored due to|\[WARNING \w/u],
  specificity: 52,
  confidence: "medium",
  explains: ["cloud-init-scripts-failed"],
  retryable: false,
  blame: "image",
  title: "kubeadm, kubelet or a needed tool is not on the image",
  summary: "{program} is not on this machine",
  explanation:
    "The bootstrap script calls the program and the shell does not find it: the image does not carry it, or its installation failed before.",
  nextStep:
    "Use an image with the Kubernetes programs: AzureMachineTemplate spec.template.spec.image, built by image-builder; or install them in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
