import type { MachineShape } from "../machine-of.ts";

/** A machine in memory with a name, and what each look at it must say; the memory of one look goes to the next. */
export interface NamedScenario {
  readonly name: string;
  /** For the truth table: what is the matter with this machine. */
  readonly what: string;
  readonly provider: string;
  readonly state: string;
  readonly looks: readonly {
    readonly machine: MachineShape;
    readonly verdict: "success" | "failed" | "waiting";
    readonly reason?: string;
    readonly stage?: string;
    /** Part of the message. */
    readonly says?: string;
    /** Part of a remark. */
    readonly remarks?: string;
    readonly providers?: readonly string[];
  }[];
}
