import type { Rule } from "../../handler/diagnosis/rule.ts";

export const criServiceUnimplemented = {
  kind: "failure",
  id: "cri-service-unimplemented",
  cause: "cri-api-unimplemented",
  reason: "CriApiUnimplemented",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /unknown service (?<service>runtime\.v1(?:alpha2)?\.(?:RuntimeService|ImageService))/u,
    /(?<service>CRI v1 (?:runtime|image) API) is not implemented for endpoint/u,
    [/failed to load plugin/u, /io\.containerd\.grpc\.v1\.cri|io\.containerd\.cri\.v1/u],
  ],
  // Nobody answers at all: the runtime is not there.
  except: [/\[WARNING [A-Z]\w{2,40}\]|code = Unavailable/u],
  recoveredBy: [/Container runtime initialized|Successfully registered node/u],
  specificity: 90,
  confidence: "high",
  explains: ["container-runtime-not-running", "kubelet-not-running", "join-timeout-unknown", "image-pull-failed"],
  retryable: false,
  blame: "image",
  title: "The runtime answers but does not serve the CRI version asked for",
  summary: "The runtime does not serve {service|the CRI}",
  explanation:
    "containerd runs without its CRI plugin (disabled in the packaged config, or its config keeps it from loading) or is too old for this Kubernetes version.",
  nextStep:
    'Enable the CRI plugin of containerd: a config.toml without disabled_plugins = ["cri"] in KubeadmConfigTemplate spec.template.spec.files and restart containerd in preKubeadmCommands; use containerd 1.6 or newer',
  references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
} as const satisfies Rule;
