import type { EvidenceSource } from "../diagnosis/evidence-source.ts";

/** The logs of one machine, somewhere below what a person named. */
export interface MachineCopy {
  /** Folder that stands for the machine's root. */
  readonly root: string;
  /** Where it lies below what was named; empty for that itself. */
  readonly place: string;
  /** Read before, or with `only` in place of, the node's own files. */
  readonly sources: readonly EvidenceSource[];
  readonly only: boolean;
  /** The names of files or folders say that it is a machine's; else its content has to. */
  readonly isNamed: boolean;
  /** What a reader should know of these logs. */
  readonly notes?: readonly string[];
}
