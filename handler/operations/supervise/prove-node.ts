import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createMachine } from "../../check/answers/answer-questions.ts";
import { loadProgram } from "../../check/program/load-program.ts";
import { runLook } from "../../check/program/run-look.ts";
import type { ProofMessage } from "../../contract/verdict-substatus.ts";
import { readPreparedMark } from "../../image/prepared-mark.ts";
import { collectProof } from "../../proof/collect-proof.ts";
import type { BootstrapProvider } from "../../settings/settings.ts";
import type { Run } from "./run.ts";

export interface ProveRequest {
  readonly run: Pick<Run, "context" | "signal">;
  readonly provider: BootstrapProvider;
  readonly timeoutSeconds: number;
  /** Version of the check that gave the verdict. */
  readonly checkVersion?: string | undefined;
}

const lookLimitMs = 20_000;

/** One look of the packaged check, without hooks, and what else can be said of the node. Nothing here is a verdict. */
export async function proveNode(request: ProveRequest): Promise<ProofMessage> {
  const { run, provider, timeoutSeconds, checkVersion } = request;
  const { host, identity } = run.context;
  // The package's own check: no thread watches over its steps.
  const source = await readFile(join(host.programFolder, "bundle", "check.cjs"), "utf8");
  const program = loadProgram(source, { limitMs: "none" });
  const { answer } = createMachine(host, identity);
  const system = host.platform.name;
  const end = await runLook({
    host,
    program,
    answer,
    limitMs: lookLimitMs,
    signal: run.signal,
    context: { system, provider, elapsedMs: 0, timeoutMs: timeoutSeconds * 1000, memory: {} },
  });
  const prepared = readPreparedMark(host.platform.paths(host.root).state);
  return collectProof({
    host,
    vmId: identity.vmId,
    record: end.kind === "result" ? end.record : undefined,
    ask: async (question) => answer(question),
    ...(checkVersion === undefined ? {} : { checkVersion }),
    prepared: prepared?.vmId === identity.vmId ? undefined : prepared,
    signal: run.signal,
  });
}
