import type { Rule } from "../../handler/diagnosis/rule.ts";

export const podSandboxCannotStart = {
  kind: "failure",
  id: "pod-sandbox-cannot-start",
  cause: "pod-sandbox-failed",
  reason: "PodSandboxFailed",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /(?:Failed to create (?:pod )?sandbox|RunPodSandbox from runtime service failed)(?:.{0,80} desc = (?<what>[^"\\\n]{10,120}))?/u,
    /failed to (?:setup|set up) network for sandbox/u,
    /RunPodSandbox for .{4,300} failed, error/u,
    /Failed to generate sandbox config for pod(?:[":\\ ]|err=){1,12}(?<what>[^"\\\n]{10,120})/u,
  ],
  recoveredBy: [
    [/Observed pod startup duration/u, /coredns|metrics-server/u],
    /RunPodSandbox for .{4,300} returns sandbox id/u,
  ],
  minCount: 4,
  specificity: 16,
  confidence: "low",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "cluster",
  title: "The runtime cannot make pod sandboxes",
  summary: "Pod sandboxes cannot be made on this node: {what|the evidence has the inner error}",
  explanation:
    "Each pod needs a pause container and a network. One of them fails, mostly because of an image or network add-on problem that other lines show.",
  nextStep:
    "Read the inner error; pause image: containerd sandbox_image in KubeadmConfigTemplate spec.template.spec.files; network: the add-on that the cluster installs (ClusterResourceSet or HelmChartProxy)",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"],
} as const satisfies Rule;
