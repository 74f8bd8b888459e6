import type { Rule } from "../../handler/diagnosis/rule.ts";

export const staticPodCrashes = {
  kind: "failure",
  id: "static-pod-crashes",
  cause: "control-plane-component-crash",
  reason: "ControlPlaneComponentCrash",
  platforms: ["linux", "windows"],
  stage: "kubeadm-init",
  sources: "any",
  any: [
    [
      /(?:[Bb]ack-?[Oo]ff|CrashLoopBackOff|restarting failed)/u,
      /container=\\*"?(?<component>kube-apiserver|kube-controller-manager|kube-scheduler|etcd)/u,
    ],
    // An event that came often.
    /\(x(?:[5-9]|[1-9]\d{1,5}) over [^\n]{4,80}estarting failed container (?<component>kube-apiserver|kube-controller-manager|kube-scheduler|etcd)\b/u,
    // kubectl's list: it does not serve, and was started again and again; docker's list.
    /\b(?<component>kube-apiserver|kube-controller-manager|kube-scheduler|etcd)-\S{1,200} +0\/1 +(?:Running|Error|Completed) +(?:[5-9]|[1-9]\d{1,3}) /u,
    /\sExited \([1-9]\d{0,2}\) [^\n]{4,80}\sk8s_(?<component>kube-controller-manager|kube-scheduler|etcd)_\S{1,200}_(?:[5-9]|[1-9]\d{1,3})$/u,
    /\sUp (?:\d{1,2} seconds|Less than a second) [^\n]{4,80}\sk8s_(?<component>kube-apiserver|kube-controller-manager|kube-scheduler|etcd)_\S{1,200}_[1-9]\d{2,4}$/u,
    // crictl's list: the state, the name, and how often it was tried.
    /\sExited {2,20}(?<component>kube-controller-manager|kube-scheduler|etcd) {2,30}(?:[5-9]|[1-9]\d{1,3}) /u,
    [/CrashLoopBackOff/u, /\b(?<component>kube-apiserver|kube-controller-manager|kube-scheduler|etcd)\b/u],
  ],
  recoveredBy: [/initialized successfully|Successfully registered node|event="NodeReady"/u],
  minCount: 1,
  specificity: 60,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cni-not-ready", "kubelet-not-running"],
  retryable: false,
  blame: "control-plane",
  title: "A control-plane container starts and dies",
  summary: "{component|A control-plane container} starts and dies again and again",
  explanation:
    "The static pod exits soon after each start and the kubelet backs off. Its own log holds the reason; etcd, certificates and addresses are the usual ones.",
  nextStep:
    "Read crictl logs of the dead container; then correct KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration (apiServer, controllerManager, scheduler extraArgs)",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-cluster/"],
} as const satisfies Rule;
