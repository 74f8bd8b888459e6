import type { Command } from "commander";

export interface KubectlFlags {
  readonly namespace?: string;
  readonly kubectl: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Words before kubectl's own. */
export function kubectlOf({ kubectl, kubeconfig, context }: KubectlFlags): readonly [string, ...string[]] {
  return [
    kubectl,
    ...(kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig]),
    ...(context === undefined ? [] : ["--context", context]),
  ];
}

export function withKubectl(command: Command): Command {
  return command
    .option("-n, --namespace <name>", "namespace; without it that of the context")
    .option("--kubectl <path>", "kubectl to ask with", "kubectl")
    .option("--kubeconfig <file>", "handed to kubectl")
    .option("--context <name>", "handed to kubectl");
}
