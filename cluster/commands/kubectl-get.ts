import { parseJson } from "../../handler/text/parse-json.ts";
import type { ProgramResult } from "./run-program.ts";

export interface Kubectl {
  /** Words before kubectl's own: its path, --kubeconfig, --context. */
  readonly kubectl: readonly [string, ...string[]];
  readonly run: (command: readonly [string, ...string[]]) => Promise<ProgramResult>;
}

export type KubectlAnswer =
  { readonly kind: "value"; readonly value: unknown } | { readonly kind: "failed"; readonly why: string };

/** `kubectl get … -o json`; never throws. Why it failed is one line for people. */
export async function kubectlGet({ kubectl, run }: Kubectl, what: readonly string[]): Promise<KubectlAnswer> {
  try {
    const { code, stdout, stderr } = await run([...kubectl, "get", ...what, "--output", "json"]);
    if (code !== 0)
      return {
        kind: "failed",
        why: `kubectl cannot read ${what[0] ?? ""}: ${lastLine(stderr) || `exit code ${String(code)}, without a word`}`,
      };
    const json = parseJson(stdout);
    return json.kind === "value"
      ? json
      : { kind: "failed", why: `The answer of kubectl cannot be read: ${json.reason}` };
  } catch (error) {
    return {
      kind: "failed",
      why: `${kubectl[0]} cannot be started (${String(error)}). Install kubectl, or name it with --kubectl.`,
    };
  }
}

/** Before its error kubectl repeats its own log lines ("E1122 …"), several times the same. */
function lastLine(stderr: string): string {
  return stderr.trim().split("\n").at(-1)?.trim() ?? "";
}
