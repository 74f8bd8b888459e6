import type { Blame } from "./diagnosis.ts";

/** What a cause means and what to do, whatever line showed it. Rules have words of their own; readings use these. */
export interface CauseText {
  /** At most 80 characters, no full stop. */
  readonly title: string;
  readonly meaning: string;
  /** Names the field of the CAPZ or Cluster API object to change, where there is one. */
  readonly nextStep: string;
  readonly blame: Blame;
  /** Whether the same machine may succeed when it tries again. */
  readonly retryable: boolean;
  readonly reference: string;
}
