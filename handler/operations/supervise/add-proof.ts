import { existsSync } from "node:fs";
import { errorText } from "../../errors/handler-error.ts";
import { putStatus } from "../put-status.ts";
import type { ReachedEnd } from "./reach-end.ts";
import type { Run } from "./run.ts";
import { verdictStatus } from "../../verdict/verdict-status.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import type { VerdictWords } from "../../verdict/verdict-words.ts";

export interface AddProof {
  readonly run: Run;
  readonly read: ReachedEnd["read"];
  readonly verdict: Verdict;
  readonly words: VerdictWords;
}

/**
 * Adds the proof to a success that is told already: what it takes to collect it (programs, Azure's metadata service) must not
 * delay the verdict, and what goes wrong here cannot change it. A user's own command claims nothing of the node, so it has none.
 */
export async function addProof({ run, read, verdict, words }: AddProof): Promise<void> {
  if (verdict.end.kind !== "passed" || verdict.ownCommand === true || read === undefined) return;
  const { bootstrapProvider: provider, timeoutSeconds } = read.settings;
  const { context, record, signal } = run;
  const told = record.current().verdict;
  if (provider === "none" || told === undefined) return;
  try {
    const { proveNode } = await import("./prove-node.ts");
    const proof = await proveNode({ run, provider, timeoutSeconds, checkVersion: verdict.checkVersion });
    // New settings or `disable` came meanwhile, or an update went on without us and took our folder, which a write would make again:
    // the status is no longer ours to write.
    if (signal.aborted || !existsSync(context.environment.handlerFolder)) return;
    const status = verdictStatus({ ...verdict, proof }, words);
    await putStatus(context, status);
    await record.saveVerdict({ ...told, status });
  } catch (error) {
    context.log.warn(`The proof could not be added to the status: ${errorText(error)}`);
  }
}
