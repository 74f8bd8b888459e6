import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The list of its flags the kubelet prints when it refuses one; the line that names it is often cut off above. */
export const kubeletUsagePrinted = {
  kind: "failure",
  id: "kubelet-usage-printed",
  cause: "kubelet-config-invalid",
  reason: "KubeletConfigInvalid",
  platforms: ["linux"],
  stage: "kubelet",
  sources: "any",
  // The blanks one by one: the build finds them, with what stands around, as one text to look for; "kubelet[" alone is in every line.
  // eslint-disable-next-line no-regex-spaces
  any: [/kubelet\[\d{1,8}\]:       --[a-z][\w-]{1,60}(?: [\w,:=]{1,40})? {2,200}\S/u],
  recoveredBy: [/Successfully registered node|"Kubelet version"|Attempting to register node/u],
  specificity: 54,
  confidence: "medium",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The kubelet prints its usage instead of starting",
  summary: "The kubelet prints the list of its flags: it refuses one that it was given",
  explanation:
    "A flag was misspelled, has a wrong value or was removed in this version. The kubelet prints its usage and exits, and systemd restarts it for ever. The line that names the flag stands above the list.",
  nextStep:
    "Read the first line of journalctl -u kubelet behind a start; then correct KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs and the drop-ins in spec.files",
  references: ["https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/"],
} as const satisfies Rule;
