import type { Rule } from "../../handler/diagnosis/rule.ts";

export const proxyCatchesApiServer = {
  kind: "failure",
  id: "proxy-catches-api-server",
  cause: "proxy-misconfigured",
  reason: "ProxyMisconfigured",
  platforms: ["linux", "windows"],
  stage: "kubeadm-init",
  sources: "any",
  any: [/\[WARNING HTTPProxy\]: [Cc]onnection to "(?<target>[^"]{4,200})" uses proxy "(?<proxy>[^"]{4,200})"/u],
  all: [
    /timed out waiting for the condition|couldn't initialize a Kubernetes cluster|context deadline exceeded|could not initialize a Kubernetes cluster|couldn't validate the identity of the API Server|configmaps\/cluster-info: (?:Forbidden|Service Unavailable|Bad Gateway|Gateway Time|EOF)/u,
  ],
  specificity: 50,
  confidence: "medium",
  explains: ["join-timeout-unknown", "api-server-unreachable", "kubelet-not-running"],
  retryable: false,
  blame: "configuration",
  title: "The API server is asked through a proxy and the control plane does not come up",
  summary: "Requests to {target} go through the proxy {proxy}, and kubeadm then gives up",
  explanation:
    "kubeadm warned that its connection to the API server address uses the proxy, and no request got through after that. A proxy outside the network cannot reach the address of the node.",
  nextStep:
    "Add the API server to NO_PROXY: with the node, service and pod ranges, where the proxy is set, in KubeadmConfigTemplate spec.template.spec.files or preKubeadmCommands",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
