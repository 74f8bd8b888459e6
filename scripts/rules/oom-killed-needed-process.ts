import type { Rule } from "../../handler/diagnosis/rule.ts";

export const oomKilledNeededProcess = {
  kind: "failure",
  id: "oom-killed-needed-process",
  cause: "out-of-memory",
  reason: "OutOfMemory",
  platforms: ["linux", "windows"],
  stage: "any",
  sources: "any",
  any: [
    /[Oo]ut of memory: Kill(?:ed)? process \d{1,8},? \(?(?<process>kube[\w-]{0,20}|etcd|containerd[\w-]{0,10}|k3s[\w-]{0,10}|rke2[\w-]{0,10}|dockerd|apt[\w-]{0,10}|dpkg)/u,
    /(?<process>[\w.@-]{1,60}\.service): (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/u,
    /(?<process>kube-apiserver|etcd|kubelet|containerd|k3s|rke2|kube-controller)[\w-]{0,20} invoked oom-killer/u,
    /(?<process>[Oo]om_?[Kk]illed|OOMKilled)\\*"?[,:\s].{0,80}(?:kube-apiserver|etcd|kube-controller-manager|kube-scheduler)/u,
    [/\bOOMKilled\b/u, /(?<process>kube-apiserver|etcd|kube-controller-manager|kube-scheduler)/u],
    /OOM controller triggered/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: [
    "control-plane-component-crash",
    "etcd-unhealthy",
    "kubelet-not-running",
    "api-server-unreachable",
    "join-timeout-unknown",
    "cni-not-ready",
  ],
  retryable: false,
  blame: "configuration",
  title: "The kernel killed a needed process for lack of memory",
  summary: "The kernel killed {process|a process}: memory is exhausted",
  explanation:
    "The machine has too little memory for what runs on it. A killed kubelet, API server or etcd makes the bootstrap fail or come and go.",
  nextStep: "Choose a larger size: AzureMachineTemplate spec.template.spec.vmSize, or limit what runs on the node",
  references: ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"],
} as const satisfies Rule;
