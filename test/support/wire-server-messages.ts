import type { GoalState } from "./goal-state.ts";

/** What the test tells the WireServer process. */
export interface ToWireServer {
  readonly goal: GoalState;
}

/** What the WireServer process tells the test. */
export type FromWireServer =
  | { readonly kind: "listening" }
  | { readonly kind: "goal-taken"; readonly incarnation: number }
  | { readonly kind: "status"; readonly blob: string }
  | { readonly kind: "download"; readonly name: string; readonly version: string }
  | { readonly kind: "post"; readonly path: string; readonly bytes: number }
  | { readonly kind: "problem"; readonly text: string };
