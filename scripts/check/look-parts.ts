import type { Evidence } from "./evidence.ts";

/** What the observers of both systems hand to the judges. */
export interface Observed {
  readonly evidence: Evidence;
  /** Bootstrap providers that speak for this machine. */
  readonly providers: readonly string[];
}
