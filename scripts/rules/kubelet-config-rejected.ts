import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletConfigRejected = {
  kind: "failure",
  id: "kubelet-config-rejected",
  cause: "kubelet-config-invalid",
  reason: "KubeletConfigInvalid",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /[Ff]ailed to load [Kk]ubelet config file/u,
      /(?<what>strict decoding error[^\n]{0,100}|no kind \\*"\w+\\*" is registered|(?<!\.)yaml: [^"\n]{3,100}|json: cannot unmarshal[^"\n]{0,100}|couldn't get version\/kind)/u,
    ],
    [
      /ContainerManager|container manager|failed to run Kubelet/u,
      /(?<what>invalid Node Allocatable configuration[^"\n]{0,100}|Failed to enforce (?:Kube|System) Reserved Cgroup Limits[^\n]{0,100})/u,
    ],
    /(?<what>container runtime endpoint address was not specified or empty)/u,
    /(?<what>configured policy \\*"[\w-]{3,30}\\*" differs from state checkpoint policy)/u,
    [/kubelet/iu, /(?<what>invalid (?:kubelet )?configuration: [^"\n]{5,120})/u],
    /failed to validate kubelet configuration, error: (?<what>[^"\n]{5,120})/u,
    /kubelet\.service: (?<what>Failed to parse|Unknown key|Invalid section|Service has no ExecStart|Service has more than one ExecStart)/u,
  ],
  except: [/no such file or directory|kind and apiVersion is mandatory|no configuration has been provided/u],
  specificity: 86,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The kubelet refuses its configuration file",
  summary: "The kubelet refuses its configuration: {what|see the evidence}",
  explanation:
    "config.yaml does not decode, holds values that exclude each other, or disagrees with state that an earlier kubelet left. The kubelet exits and is restarted for ever.",
  nextStep:
    "Correct the KubeletConfiguration: patches in KubeadmConfigTemplate spec.template.spec.files or KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs; remove stale state files such as cpu_manager_state before the start",
  references: ["https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/"],
} as const satisfies Rule;
