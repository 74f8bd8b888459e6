import type { Rule } from "../../handler/diagnosis/rule.ts";

export const preflightSysctl = {
  kind: "failure",
  id: "preflight-sysctl",
  cause: "preflight-kernel-params",
  reason: "PreflightKernelParams",
  platforms: ["linux"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /\[ERROR FileContent--proc-sys-net-[\w-]{4,60}\]: (?<setting>\/proc\/sys\/net\/[\w/-]{4,60})/u,
    /(?:open|stat) (?<setting>\/proc\/sys\/net\/bridge\/bridge-nf-call-ip6?tables): no such file or directory/u,
  ],
  except: [/level=(?:info|warning)|(?:^|: )W\d{4} /u],
  // The kernel has no such module, so no setting of it either.
  none: [/\bFATAL: Module \w{3,40} not found(?: in directory|\.$)/u],
  specificity: 80,
  confidence: "high",
  retryable: false,
  blame: "image",
  title: "A kernel module or setting for pod networking is missing",
  summary: "{setting|A network setting} is not set for Kubernetes",
  explanation:
    "The node must forward packets and let iptables see bridged traffic. The module br_netfilter is not loaded or a sysctl is not 1.",
  nextStep:
    "Load br_netfilter and set the sysctls: /etc/modules-load.d and /etc/sysctl.d files in KubeadmConfigTemplate spec.template.spec.files and run modprobe br_netfilter and sysctl --system in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
