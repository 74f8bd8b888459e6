/** Why a failed Machine is not marked. Reasons of the condition RemediationNeeded=False, of Events and of the metric. */
export const holdReasons = {
  Paused: "The Cluster or the Machine is paused",
  ObserveOnly: "The extension runs in the mode observe: a failure is to have no consequences",
  JoinedBefore: "The machine has a Node: what failed later says nothing about the bootstrap",
  OwnerDoesNotHeal: "Cluster API replaces machines of a MachineDeployment, MachineSet or KubeadmControlPlane only",
  NotRetryable: "A new machine would fail in the same way; correct the cause first",
  RetryabilityUnknown: "It is not known whether a new machine can pass (--unknown retry marks it all the same)",
  SameReasonAgain: "The same reason has come again and again on new machines; correct the cause first",
  FirstControlPlaneNotCertain:
    "The first control plane machine of a cluster is replaced after a certain failure only: a late kubeadm init may still win",
  SingleControlPlane: "The only control plane machine of a running cluster cannot be replaced",
  ControlPlaneBusy: "Another control plane machine is marked, being deleted or has not told yet how it bootstrapped",
  BudgetSpent: "The owner's machines marked in this window have used up the budget",
  CoolingDown: "The last machine of this owner was marked a moment ago",
} as const;
export type HoldReason = keyof typeof holdReasons;

export type HealingDecision =
  /** `since`: when it was first marked. */
  | { readonly kind: "mark"; readonly since: string; readonly fresh: boolean }
  | { readonly kind: "hold"; readonly reason: HoldReason; readonly why: string }
  /** Nothing to heal, or healing is not asked for. `recovered`: our mark is to be taken away. */
  | { readonly kind: "none"; readonly recovered: boolean };

export function hold(reason: HoldReason, detail?: string): HealingDecision {
  return {
    kind: "hold",
    reason,
    why: detail === undefined ? `${holdReasons[reason]}.` : `${holdReasons[reason]}: ${detail}.`,
  };
}
