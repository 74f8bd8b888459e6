import { cutText } from "../../handler/text/cut-text.ts";
import type { Account } from "../verdict/account.ts";
import { wholeSecond } from "../verdict/moment.ts";
import type { HealingDecision } from "../healing/decision.ts";

export const conditionTypes = {
  /** How the bootstrap went; always told. */
  succeeded: "bootstrap.capz.io/BootstrapSucceeded",
  /** True: this program asks the owner to replace the Machine. A health check names this type, so that only what is allowed heals. */
  remediation: "bootstrap.capz.io/RemediationNeeded",
} as const;

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** RFC 3339 in whole seconds. */
  readonly lastTransitionTime: string;
}

/** A condition may hold 32 KiB; one that is read in a terminal is short, and the verdict object has the rest. */
const messageLimit = 1024;

export interface ConditionFacts {
  readonly verdict: Account;
  readonly decision: HealingDecision;
  /** Name of the verdict object, to be named in the message. */
  readonly object: string;
  /** The conditions of these types that stand on the Machine now. */
  readonly before: readonly Condition[];
  readonly now: string;
}

/** All conditions that are ours: what a server-side apply leaves out is removed, so every apply carries all of them. */
export function machineConditions(facts: ConditionFacts): readonly Condition[] {
  const remediation = remediationOf(facts);
  return [succeededOf(facts), ...(remediation === undefined ? [] : [remediation])].map((condition) => ({
    ...condition,
    lastTransitionTime: transitionTime(condition, facts),
  }));
}

type Untimed = Omit<Condition, "lastTransitionTime">;

function succeededOf({ verdict, object }: ConditionFacts): Untimed {
  const type = conditionTypes.succeeded;
  const where = `kubectl get bootstrapverdict ${object} -o yaml has the evidence.`;
  switch (verdict.outcome) {
    case "bootstrapped":
      return { type, status: "True", reason: "Bootstrapped", message: verdict.firstLine };
    case "waiting":
      // The words of a wait change every few seconds; a condition that follows them would wake every controller.
      return {
        type,
        status: "Unknown",
        reason: "BootstrapInProgress",
        message: "Waiting for the verdict of the node.",
      };
    case "unknown":
      return { type, status: "Unknown", reason: verdict.reason, message: cutText(verdict.firstLine, messageLimit) };
    case "failed":
    case "deadline":
      return {
        type,
        // The mode observe was chosen so that a failure has no consequences; a health check acts on False.
        status: verdict.mode === "observe" ? "Unknown" : "False",
        reason: verdict.reason,
        message: cutText(`${verdict.firstLine} (${where})`, messageLimit),
      };
  }
}

function remediationOf({ verdict, decision }: ConditionFacts): Untimed | undefined {
  const type = conditionTypes.remediation;
  switch (decision.kind) {
    case "mark":
      return { type, status: "True", reason: verdict.reason, message: cutText(verdict.firstLine, messageLimit) };
    case "hold":
      return { type, status: "False", reason: decision.reason, message: cutText(decision.why, messageLimit) };
    case "none":
      return undefined;
  }
}

/** Only a change of the status is a transition: a new time alone would write the Machine anew and wake every controller. */
function transitionTime(condition: Untimed, { before, now }: ConditionFacts): string {
  const known = before.find(({ type }) => type === condition.type);
  return known?.status === condition.status ? known.lastTransitionTime : wholeSecond(now);
}
