import type { LookResult, Observation } from "../../scripts/check/look.ts";
import type { Machine } from "./machine.ts";
import type { Truth } from "./truth.ts";

/** What a check did wrong on a machine, and all that is needed to tell the story. */
export interface Fault {
  readonly rule: "false-success" | "false-failure" | "no-verdict" | "order" | "replay" | "exception" | "endless";
  readonly truth: Truth;
  readonly result: LookResult | undefined;
  readonly observations: readonly Observation[];
  readonly machine: Machine;
  readonly detail: string;
}

export interface Played {
  readonly fault: Fault | undefined;
  readonly looks: number;
  /** Kinds of states that this history reached, for the counters. */
  readonly reached: ReadonlySet<string>;
  readonly stages: ReadonlySet<string>;
  readonly reasons: ReadonlySet<string>;
  readonly machine: Machine;
}
