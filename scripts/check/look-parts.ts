import type { Evidence } from "./evidence.ts";

/** What the observers of both systems hand to the judges. */
export interface Observed {
  readonly evidence: Evidence;
  /** Bootstrap providers that speak for this machine. */
  readonly providers: readonly string[];
  /** False where a sentinel counts, and questions that would name another provider had no answer. */
  readonly providersAreSure?: boolean;
}
