import type { Rule } from "../../handler/diagnosis/rule.ts";

export const successRancherDistributionUp = {
  kind: "success",
  id: "success-rancher-distribution-up",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /k3s is up and running|rke2 is up and running|Started (?:[\w.@-]{3,60} - )?(?:Lightweight Kubernetes|Rancher Kubernetes Engine v2)/u,
    /k3s agent is up and running/u,
  ],
  title: "k3s or RKE2 runs",
  covers: ["provisioning", "packages", "runtime", "images", "distribution", "any"],
  settles: ["api-server-unreachable", "etcd-unhealthy", "bootstrap-token-invalid-or-expired"],
  final: true,
} as const satisfies Rule;
