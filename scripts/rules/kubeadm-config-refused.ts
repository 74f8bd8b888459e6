import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubeadm reads the file that the bootstrap data wrote for it, and stops before any check. */
export const kubeadmConfigRefused = {
  kind: "failure",
  id: "kubeadm-config-refused",
  cause: "kubeadm-config-invalid",
  reason: "KubeadmConfigInvalid",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /your configuration file uses an? (?<what>(?:old|unsupported|unknown|experimental) API spec: \\*"kubeadm\.k8s\.io\/\w{2,12}\\*")/u,
    /(?<what>no kind \\*"\w{3,40}\\*" is registered for (?:the internal )?version(?: of group)? \\*"kubeadm\.k8s\.io[/\w]{0,12}\\*")/u,
    /unknown configuration .{0,40}kubeadm\.k8s\.io\\*",? ?Version:\\*"(?<what>v\w{1,10})/u,
    /(?<what>no (?:InitConfiguration|JoinConfiguration|ClusterConfiguration)[\w ]{0,60} found)/u,
    /(?<what>didn't recognize types with GroupVersionKind: \[kubeadm\.k8s\.io[^\]\n]{0,80})/u,
    /(?<what>can ?not mix '?--config'? with arguments \[[\w, -]{1,120}\])/u,
    [
      /kubeadm(?:\.k8s\.io|\.yaml|[-\w]{0,30}\.conf| config)|InitConfiguration|JoinConfiguration|ClusterConfiguration/u,
      /(?<what>strict decoding error: [^\n]{5,120}|error converting YAML to JSON: [^\n]{5,120}|json: cannot unmarshal [^\n]{5,120}|yaml: (?:line \d{1,6}: |unmarshal)[^\n]{3,120})/u,
    ],
    [
      /^(?:error: )?\[?(?<what>(?:nodeRegistration|localAPIEndpoint|networking|discovery|apiServer|controlPlane|controlPlaneEndpoint|etcd|podSubnet|serviceSubnet|dnsDomain|certificatesDir|certificateKey|caCertPath)[\w.[\]]{0,60}: (?:Invalid|Required|Unsupported|Forbidden)(?: value)?[^\n]{0,100})/u,
      /(?:Invalid|Unsupported) value|Required|Forbidden/u,
    ],
    /(?<what>kind and apiVersion is mandatory information)/u,
    /(?<what>token-based discovery without caCertHashes can be unsafe)/u,
    /(?<what>could not decode configuration: unable to decode config from [^\n]{3,120}|unable to read config from \\*"[^"\\]{3,120}|[Cc]ouldn't parse kubeadm config[^\n]{0,80})/u,
  ],
  // kubeadm warns of a field or version and goes on; a name and a token have causes of their own.
  except: [
    /(?:^|[\s:]|\]: )[WI]\d{4} \d\d:|deprecated API spec|WARNING/u,
    /RFC 1123|nodeRegistration\.name|bootstrap token|[Tt]oken: Invalid(?![^\n]{0,60}without caCertHashes)/u,
  ],
  // `kubeadm reset`, with which tools clean up behind it, begins with pre-flight checks as well, and ends there.
  recoveredBy: [
    /\[preflight\] (?:Reading configuration|Pulling images|This might take)|\[init\] Using Kubernetes version/u,
  ],
  specificity: 92,
  confidence: "high",
  explains: ["join-timeout-unknown", "kubeadm-not-run", "kubelet-not-running", "cloud-init-scripts-failed"],
  retryable: false,
  blame: "configuration",
  title: "kubeadm refuses its configuration file",
  summary: "kubeadm cannot use its configuration: {what}",
  explanation:
    "The file that the bootstrap data writes for kubeadm has an API version that the kubeadm of this image does not know, or a field or value that it does not take. kubeadm stops before it does anything.",
  nextStep:
    "Match the image to the cluster's version: AzureMachineTemplate spec.template.spec.image and KubeadmControlPlane spec.version; a wrong field or value stands in KubeadmConfigTemplate spec.template.spec or KubeadmControlPlane spec.kubeadmConfigSpec",
  references: ["https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/"],
} as const satisfies Rule;
