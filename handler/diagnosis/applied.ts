import type { CompiledRule } from "./compile-rules.ts";
import type { LineEvent } from "./line-event.ts";
import type { ReadCause } from "./reading/read-log.ts";
import type { FailureRule, ShippedPattern, SuccessRule } from "./rule.ts";

export type Failure = FailureRule<ShippedPattern>;

/** A failure rule whose conditions hold, with the lines that show it. */
export interface Applied {
  readonly rule: Failure;
  /** First and last lines of each pattern and log, oldest first within a log. */
  readonly events: readonly LineEvent[];
  readonly recoveries: readonly LineEvent[];
  /** How it came about: a rule knows the sentence, a reading its form. */
  readonly layer: Layer;
}

/** In this order: a rule that names a cause, a line read by its form, a rule or a line that names only the step. */
export type Layer = 3 | 2 | 1;

/** A sign of success and where it was last seen in each log. */
export interface Achieved {
  readonly rule: SuccessRule<ShippedPattern>;
  readonly events: readonly LineEvent[];
}

/** What follows from a cause follows from it in whatever words it was told: a reading explains what rules of its cause explain. */
export function asApplied({ rule, events, general }: ReadCause, rules: readonly CompiledRule[]): Applied {
  if (general) return { rule, events, recoveries: [], layer: 1 };
  const effects = rules.flatMap(({ rule: one }) =>
    one.kind === "failure" && one.cause === rule.cause ? (one.explains ?? []) : [],
  );
  return { rule: { ...rule, explains: [...(rule.explains ?? []), ...effects] }, events, recoveries: [], layer: 2 };
}
