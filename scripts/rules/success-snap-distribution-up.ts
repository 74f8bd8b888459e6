import type { Rule } from "../../handler/diagnosis/rule.ts";

export const successSnapDistributionUp = {
  kind: "success",
  id: "success-snap-distribution-up",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /microk8s is running\s*$/u,
    /Bootstrapped a new Kubernetes cluster with node address/u,
    /(?:The node has|Successfully) joined the cluster/u,
    /\[talos\] machine is running and ready/u,
  ],
  title: "MicroK8s, Canonical Kubernetes or Talos runs",
  covers: ["provisioning", "packages", "runtime", "images", "distribution", "any"],
  settles: ["api-server-unreachable", "etcd-unhealthy"],
  final: true,
} as const satisfies Rule;
