import type { Rule } from "../../handler/diagnosis/rule.ts";

/** What kubectl says; localhost:8080 only means that it has no kubeconfig. */
export const kubectlApiServerRefused = {
  kind: "failure",
  id: "kubectl-api-server-refused",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /The connection to the server (?<host>[\w.:[\]-]{3,253}) was (?<answer>refused)/u,
    /Unable to connect to the server: dial tcp (?<host>[\w.:[\]-]{3,80}): (?:connect: )?(?<answer>i\/o timeout|no route to host|network is unreachable|connection timed out)/u,
  ],
  except: [/(?:localhost|127\.0\.0\.1|\[::1\]):8080/u],
  none: [/error execution phase wait-control-plane/u],
  recoveredBy: [
    /^NAME\s{2,80}STATUS\s{2,40}ROLES/u,
    /^(?:node|namespace|serviceaccount|daemonset|configmap)\S{0,60}\/\S{2,100} (?:created|configured|labeled)/u,
  ],
  specificity: 24,
  confidence: "low",
  explains: ["join-timeout-unknown"],
  retryable: true,
  blame: "control-plane",
  title: "kubectl does not reach the API server",
  summary: "kubectl gets no answer from the API server {host} ({answer})",
  explanation:
    "kubectl knows the address of the API server, but nothing answers there. Refused means that the API server is not up, a time-out means that the way to it is closed.",
  nextStep:
    "Read the log of kube-apiserver: crictl ps -a on the control-plane machine; check AzureCluster spec.networkSpec (apiServerLB, securityGroup) when it times out",
  references: ["https://kubernetes.io/docs/tasks/debug/debug-cluster/"],
} as const satisfies Rule;
