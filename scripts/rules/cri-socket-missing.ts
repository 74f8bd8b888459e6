import type { Rule } from "../../handler/diagnosis/rule.ts";

export const criSocketMissing = {
  kind: "failure",
  id: "cri-socket-missing",
  cause: "container-runtime-not-running",
  reason: "ContainerRuntimeNotRunning",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    [
      /\[ERROR CRI\]|container runtime is not running|couldn't create new CRI runtime service|detected and using CRI socket/u,
      /dial unix (?<socket>[^\s:"\\]{3,120}): connect: (?<answer>no such file or directory|connection refused|permission denied)/u,
    ],
    [
      /(?:crictl|critest|FATA\[\d{4}\]|level=fatal msg="validate service connection|getting status of runtime|connect endpoint)/u,
      /(?:unix:\/\/)?(?<socket>\/(?:var\/)?run\/[^\s:"'\\]{3,100})\\*['"]?[,:] .{0,300}(?<answer>no such file or directory|connection refused|context deadline exceeded)/u,
    ],
    /(?<answer>Cannot connect to the Docker daemon) at (?<socket>\S{4,100})\. Is the docker daemon running/u,
    /unable to check if the container runtime at \\*"(?<socket>[^"\\]{4,120})\\*" is (?<answer>running: exit status \d{1,3})/u,
    [/\[ERROR Service-(?:Docker|Containerd|CRI-?O)\]/iu, /service is not active/u],
    /\[ERROR CRI\]: container runtime is not running: output: (?<answer>[^\n]{0,100}(?:executable file not found|command not found))/u,
    [
      /(?<socket>\/\/\.\/pipe\/(?:containerd|docker|cri)[\w-]{0,40})/u,
      /(?<answer>The system cannot find the file specified)/u,
    ],
  ],
  // k3s and RKE2 say the last at each start, while they wait for the runtime that they have just started.
  except: [
    /\[WARNING [A-Z]\w{2,40}\]/u,
    /unknown service runtime\.v1/u,
    /level=warning/u,
    /Waiting for containerd startup/u,
  ],
  specificity: 80,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "image-pull-failed"],
  retryable: false,
  blame: "image",
  title: "The container runtime does not run",
  summary: "The container runtime does not answer at {socket|its socket} ({answer|not running})",
  explanation:
    "kubeadm or the kubelet asks the container runtime and nobody listens at its socket: it is not installed, has failed, or another socket is configured.",
  nextStep:
    "Start the runtime before kubeadm: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands (systemctl enable --now containerd), an image that has it (AzureMachineTemplate spec.template.spec.image), the right nodeRegistration.criSocket",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
