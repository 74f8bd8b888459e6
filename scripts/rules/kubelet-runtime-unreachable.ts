import type { Rule } from "../../handler/diagnosis/rule.ts";

export const kubeletRuntimeUnreachable = {
  kind: "failure",
  id: "kubelet-runtime-unreachable",
  cause: "container-runtime-not-running",
  reason: "ContainerRuntimeNotRunning",
  platforms: ["linux", "windows"],
  stage: "runtime",
  sources: "any",
  any: [
    [
      /(?:failed to run Kubelet|command failed|Failed to create (?:a )?(?:remote|CRI)|[Uu]nable to determine runtime API version|validate service connection|failed to get runtime)/u,
      /dial unix (?<socket>[^\s:"\\]{3,120}): connect: (?<answer>no such file or directory|connection refused|permission denied)/u,
    ],
    [/\b(?:containerd|crio|dockerd|cri-dockerd)\[\d{1,8}\]: /u, /level=fatal msg=\\*"(?<answer>[^"\\]{3,100})/u],
    [/failed to run Kubelet|command failed/u, /(?<answer>dial unix: missing address)/u],
    [/(?:containerd|cri-docker)\.service/u, /(?<answer>could not be found|not-found|Unit \S{3,60} not found)/u],
    /Failed to (?:start|enable|restart) (?:unit: Unit file )?(?:containerd|crio|docker)\.service: (?<answer>[^\n]{5,100})/u,
  ],
  except: [
    /unknown service runtime\.v1/u,
    // What the machine withholds from the runtime.
    /oom_score_adj|operation not permitted|\/sys\/fs\/cgroup|not supported over|backing file system is unsupported/u,
  ],
  recoveredBy: [
    /Container runtime initialized|Successfully registered node|Started containerd|containerd successfully booted|Container runtime \S{3,20} initialized|ATTEMPT {2,60}POD ID|POD ID {2,60}CREATED|IMAGE ID {2,60}SIZE/u,
  ],
  specificity: 62,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "cni-not-ready"],
  retryable: true,
  blame: "image",
  title: "The kubelet cannot reach the container runtime",
  summary: "The kubelet gets no answer from the runtime at {socket|its socket} ({answer|not running})",
  explanation:
    "The kubelet starts before or without its container runtime and exits. Once at boot this is normal; here it does not end.",
  nextStep:
    "Start the runtime before kubeadm: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands (systemctl enable --now containerd), an image that has it (AzureMachineTemplate spec.template.spec.image), the right nodeRegistration.criSocket",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
