import type { Rule } from "../../handler/diagnosis/rule.ts";

export const proxyConnectFailed = {
  kind: "failure",
  id: "proxy-connect-failed",
  cause: "proxy-misconfigured",
  reason: "ProxyMisconfigured",
  platforms: ["linux", "windows"],
  stage: "any",
  sources: "any",
  any: [
    /proxyconnect tcp: (?<answer>[^"\\]{3,100})/u,
    /Get \\*"?https:\/\/[^\s"\\]{5,200}\\*"?: (?<answer>Forbidden|Bad Gateway|Service Unavailable|Gateway Time-?out)(?=[\s"\\]|$)/u,
    /curl: \(5\) Could not resolve proxy: (?<proxy>[^\s;]{1,253})/u,
    /(?:Received HTTP code|CONNECT tunnel failed, response) (?<answer>\d{3})/u,
    /(?<answer>Proxy Authentication Required|Invalid response from proxy|Cannot connect to proxy|Tunnel connection failed)/u,
    /Could not (?:resolve|connect to) proxy:? ?(?<proxy>[^\s;]{0,253})/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: [
    "api-server-unreachable",
    "image-pull-timeout",
    "image-pull-failed",
    "http-download-failed",
    "join-timeout-unknown",
  ],
  retryable: false,
  blame: "configuration",
  title: "A request went to a proxy and the proxy refused or failed",
  summary: "The proxy {proxy|of the node} does not pass the request on ({answer|refused})",
  explanation:
    "HTTP_PROXY or HTTPS_PROXY is set and catches this traffic. The proxy cannot be reached, wants credentials, or forbids the address.",
  nextStep:
    "Correct the proxy settings: KubeadmConfigTemplate spec.template.spec.files and preKubeadmCommands; put the API server, node, service and pod ranges into NO_PROXY, also for containerd and kubelet",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
