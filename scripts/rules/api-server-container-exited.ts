import type { Rule } from "../../handler/diagnosis/rule.ts";

/** crictl ps -a: the last container of the API server has ended, and none runs. */
export const apiServerContainerExited = {
  kind: "failure",
  id: "api-server-container-exited",
  cause: "control-plane-component-crash",
  reason: "ControlPlaneComponentCrash",
  platforms: ["linux"],
  stage: "kubeadm-init",
  sources: "any",
  any: [
    /\bExited\s{1,20}kube-apiserver\s{1,40}(?<attempts>[2-9]|\d{2,4})\s/u,
    // docker's list, which has the attempt at the end of the name.
    /\sExited \([1-9]\d{0,2}\) [^\n]{4,80}\sk8s_kube-apiserver_\S{1,200}_(?<attempts>[2-9]|\d{2,4})$/u,
  ],
  none: [/\sUp [^\n]{4,80}\sk8s_kube-apiserver_/u, /\bRunning\s{1,20}kube-apiserver\s/u],
  recoveredBy: [/initialized successfully|Successfully registered node|event="NodeReady"/u],
  specificity: 30,
  confidence: "medium",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cni-not-ready"],
  retryable: false,
  blame: "control-plane",
  title: "The API server's container ends after each start",
  summary: "kube-apiserver has exited at attempt {attempts} and none runs",
  explanation:
    "The runtime lists ended containers of kube-apiserver and no running one. Its own log holds the reason; etcd, certificates and arguments are the usual ones.",
  nextStep:
    "Read crictl logs of the ended container; then correct KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs or what etcd complains about",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-cluster/crictl/"],
} as const satisfies Rule;
