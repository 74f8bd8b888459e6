import { join } from "node:path";
import type { SequenceContext } from "../context.ts";

/** Where the full report of this run lies: in the agent's log folder. */
export function reportFile({ environment }: SequenceContext): string {
  return join(environment.logFolder, "report.txt");
}
