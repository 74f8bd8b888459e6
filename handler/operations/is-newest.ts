import { readLastSequence } from "../contract/last-sequence.ts";
import type { SequenceContext } from "./context.ts";

/** Is this the sequence that `enable` has seen last? */
export async function isNewest({ environment, extensionName, sequence }: SequenceContext): Promise<boolean> {
  return (await readLastSequence(environment.handlerFolder, extensionName)).sequence === sequence;
}
