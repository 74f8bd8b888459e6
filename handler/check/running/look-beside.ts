import { errorText } from "../../errors/handler-error.ts";
import type { CheckOutcome, CheckReport } from "../../verdict/outcome.ts";

/** What a check sees while a command of the user's runs. */
export type Observation =
  | { readonly kind: "stage"; readonly report: CheckReport }
  /** Certain: success with evidence that counts, or a failure that cannot heal. */
  | { readonly kind: "verdict"; readonly outcome: Extract<CheckOutcome, { kind: "passed" | "failed" }> };

/** Looks until the signal aborts, and tells what is new. What it throws never costs the command anything. */
export type LookBeside = (signal: AbortSignal) => AsyncIterable<Observation>;

/** What the check said with it. */
export function reportOf(observation: Observation): CheckReport {
  return observation.kind === "stage" ? observation.report : observation.outcome.report;
}

export interface Watched {
  /** What was seen last; a certain verdict stays. */
  seen(): Observation | undefined;
  /** Why the look ended early, if it failed. */
  failure(): string | undefined;
  stop(): void;
}

/** Follows the observations; `tell` hears each one. */
export function watchBeside(look: LookBeside | undefined, tell: (observation: Observation) => void): Watched {
  const stopped = new AbortController();
  let last: Observation | undefined;
  let failed: string | undefined;
  void follow();

  async function follow(): Promise<void> {
    if (look === undefined) return;
    try {
      for await (const observation of look(stopped.signal)) {
        if (stopped.signal.aborted) return;
        if (last?.kind !== "verdict" || observation.kind === "verdict") last = observation;
        tell(observation);
      }
    } catch (error) {
      if (!stopped.signal.aborted) failed = errorText(error);
    }
  }

  return {
    seen: () => last,
    failure: () => failed,
    stop() {
      stopped.abort();
    },
  };
}
