import { readLastSequence } from "../contract/last-sequence.ts";
import type { SequenceContext } from "./context.ts";

/** Is this the sequence that `enable` has seen last? */
export function isNewest({ environment, extensionName, sequence }: SequenceContext): boolean {
  return readLastSequence(environment.handlerFolder, extensionName).sequence === sequence;
}
