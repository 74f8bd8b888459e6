import type { StatusKind } from "../../contract/status.ts";
import { belongsTo, type RunState, type VerdictState } from "../../state/run-state.ts";

/** What is stored and what is true now. */
export interface EnableFacts {
  readonly sequence: number;
  /** The sequence that was begun last (`mrseq`); undefined when the agent or we have none. */
  readonly lastSequence: number | undefined;
  readonly vmId: string;
  readonly state: RunState | undefined;
  /** The supervisor that lives now: of this sequence and this version's folder and not told to end, or any other. */
  readonly supervisor: "ours" | "other" | undefined;
  /** What `N.status` says now; "none" also when it cannot be read or breaks the agent's rules. */
  readonly statusFile: StatusKind | "none";
}

/** The five cases of a call of `enable` (docs/decisions/0002-lifecycle.md). */
export type EnableDecision =
  /** The supervisor of this sequence lives: nothing to do, the status stays untouched. */
  | { readonly kind: "running" }
  /** The verdict stands; the status file is written again only if it was lost. */
  | { readonly kind: "concluded"; readonly verdict: VerdictState; readonly statusLost: boolean }
  /** The verdict stands in the status file; a crash kept it out of the state. */
  | { readonly kind: "adopt" }
  /** The supervisor died (crash, reboot, update): go on with what is left of the deadline. */
  | { readonly kind: "resume"; readonly statusLost: boolean; readonly stopOther: boolean }
  | { readonly kind: "begin"; readonly why: "new" | "other-sequence" | "foreign"; readonly stopOther: boolean };

export function decideEnable(facts: EnableFacts): EnableDecision {
  const { state, supervisor, sequence } = facts;
  if (state !== undefined && !belongsTo(state, { vmId: facts.vmId, bootId: "" })) {
    // A cloned image: nothing in it, not even a good status, says anything about this machine.
    return { kind: "begin", why: "foreign", stopOther: supervisor !== undefined };
  }
  if (state === undefined || facts.lastSequence !== sequence) {
    const why = facts.lastSequence === undefined ? "new" : "other-sequence";
    return { kind: "begin", why, stopOther: supervisor !== undefined };
  }
  if (supervisor === "ours") return { kind: "running" };
  return decideSettled(facts, state);
}

/** Same sequence, same machine, nobody at work for us; one that an update left behind still holds the lock. */
function decideSettled(facts: EnableFacts, state: RunState): EnableDecision {
  const stopOther = facts.supervisor !== undefined;
  const terminal = facts.statusFile === "success" || facts.statusFile === "error";
  if (state.verdict !== undefined) {
    if (!state.verdict.final) return { kind: "resume", statusLost: !terminal, stopOther };
    return { kind: "concluded", verdict: state.verdict, statusLost: !terminal };
  }
  // `begin` writes "transitioning" before it writes the state, so a terminal status beside a state is the verdict of this run.
  if (terminal) return { kind: "adopt" };
  return { kind: "resume", statusLost: facts.statusFile !== "transitioning", stopOther };
}
