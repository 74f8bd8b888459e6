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
    /Unable to connect to the server: (?<answer>Forbidden|Bad Gateway|Service Unavailable|Gateway Time-?out)(?=\s|$)/u,
    /curl: \(5\) Could not resolve proxy: (?<proxy>[^\s;]{1,253})/u,
    /(?:Received HTTP code|CONNECT tunnel failed, response) (?<answer>\d{3})/u,
    /(?<answer>Proxy Authentication Required|Invalid response from proxy|Cannot connect to proxy|Tunnel connection failed)/u,
    /Could not (?:resolve|connect to) proxy:? ?(?<proxy>[^\s;]{0,253})/u,
    /(?:Proxy tunneling failed: |Unable to tunnel through proxy\. Proxy returns \\*"HTTP\/1\.\d )(?<answer>[\w ]{3,60})/u,
    /Proxy request sent, awaiting response\.\.\. (?<answer>(?:40[37]|50[234])[^\n]{0,40})/u,
    /curl: \(\d{1,2}\) (?<answer>Proxy CONNECT aborted)/u,
    // What squid puts in the place of the file.
    /(?<answer>The requested URL could not be retrieved|Access control configuration prevents your request)/u,
    /(?:Err ?:\d|Failed to fetch )[^\n]{8,400} (?<answer>(?:40[37]|50[234]) {1,2}[^\n[]{3,60}) \[IP: (?<proxy>[\da-f.:]{3,45} 3128)\]/u,
    // A host that is called a proxy, or squid's own port.
    /(?:[Ff]ailed to connect to|[Uu]nable to connect to|[Cc]ould not connect to|Could not resolve(?: host:)?|unable to resolve host address) [‘'"]?(?!kube-|ha)(?<proxy>(?:[a-z]{2,12}-?)?(?:proxy|squid)[\w-]{0,12}\.(?!golang\.org|\S{0,100}(?:\.svc\b|(?::| port )(?:6443|9345|16443)\b))[\w.-]{3,120})/u,
    /Failed to connect to (?<proxy>\S{1,253}) port 3128\b/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: [
    "api-server-unreachable",
    "image-pull-timeout",
    "image-pull-failed",
    "http-download-failed",
    "snap-install-failed",
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
