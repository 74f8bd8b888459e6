import { parseJson } from "../../handler/text/parse-json.ts";
import type { ProgramResult, RunProgram } from "./run-program.ts";

export interface Kubectl {
  /** Words before kubectl's own: its path, --kubeconfig, --context. */
  readonly kubectl: readonly [string, ...string[]];
  readonly run: RunProgram;
  /** Aborted when the program is asked to end; kubectl is ended too. */
  readonly signal: AbortSignal;
}

export type KubectlAnswer =
  | { readonly kind: "value"; readonly value: unknown }
  /** The cluster has no object of this name, or no such resource type: there is nothing to be read. */
  | { readonly kind: "no-object" | "no-type"; readonly why: string }
  /** What there is is not known. */
  | { readonly kind: "failed"; readonly why: string };

/** `kubectl get … -o json`; never throws. Why it failed is one line for people. */
export async function kubectlGet(
  { kubectl, run, signal }: Kubectl,
  what: readonly [string, ...string[]],
): Promise<KubectlAnswer> {
  try {
    return answerOf(await run([...kubectl, "get", ...what, "--output", "json"], signal), what[0]);
  } catch (error) {
    return {
      kind: "failed",
      why: `${kubectl[0]} cannot be started (${String(error)}). Install kubectl, or name it with --kubectl.`,
    };
  }
}

function answerOf(result: ProgramResult, what: string): KubectlAnswer {
  switch (result.kind) {
    case "stopped":
      return { kind: "failed", why: `Ended before kubectl had read ${what}` };
    case "late":
      return {
        kind: "failed",
        why: `kubectl has not read ${what} within ${String(result.afterMs / 1000)} s. Try the same with kubectl: kubectl get ${what}`,
      };
    case "ended":
      return result.code === 0 ? valueOf(result.stdout) : refusalOf(result, what);
  }
}

function valueOf(stdout: string): KubectlAnswer {
  const json = parseJson(stdout);
  return json.kind === "value" ? json : { kind: "failed", why: `The answer of kubectl cannot be read: ${json.reason}` };
}

/** Kubernetes: apimachinery, NoResourceMatchError and Status of reason NotFound, as kubectl prints them; neither is translated. */
function refusalOf({ code, stderr }: Extract<ProgramResult, { kind: "ended" }>, what: string): KubectlAnswer {
  const line = lastLine(stderr);
  const why = `kubectl cannot read ${what}: ${line || `exit code ${String(code)}, without a word`}`;
  if (/the server doesn't have a resource type|could not find the requested resource/u.test(line))
    return { kind: wasUnheard(stderr, what) ? "failed" : "no-type", why };
  return { kind: line.includes("(NotFound)") ? "no-object" : "failed", why };
}

/** Of a group that the server could not list kubectl knows no type either; which one it was stands in its own log before. */
function wasUnheard(stderr: string, what: string): boolean {
  const group = what.slice(what.indexOf(".") + 1);
  return stderr.includes(`couldn't get resource list for ${group}/`);
}

/** Before its error kubectl repeats its own log lines ("E1122 …"), several times the same. */
function lastLine(stderr: string): string {
  return stderr.trim().split("\n").at(-1)?.trim() ?? "";
}
