import { describe, expect, test } from "@jest/globals";
import type { HealingDecision } from "../../../cluster/healing/decision.ts";
import { hold } from "../../../cluster/healing/decision.ts";
import { conditionTypes, machineConditions, type Condition } from "../../../cluster/telling/conditions.ts";
import type { Account } from "../../../cluster/verdict/account.ts";
import { account, at } from "../support/accounts.ts";

const none: HealingDecision = { kind: "none", recovered: false };

function conditions(verdict: Account, decision = none, before: readonly Condition[] = []): readonly Condition[] {
  return machineConditions({ verdict, decision, object: "md-0-x-1234", before, now: at(60) });
}

describe("machineConditions", () => {
  test.each<[Partial<Account>, string, string]>([
    [{}, "False", "DnsResolutionFailed"],
    [{ outcome: "deadline", reason: "DeadlineExceeded" }, "False", "DeadlineExceeded"],
    [{ outcome: "waiting", reason: "BootstrapInProgress" }, "Unknown", "BootstrapInProgress"],
    [{ outcome: "unknown", reason: "AgentSilent" }, "Unknown", "AgentSilent"],
    [{ outcome: "bootstrapped", reason: "Bootstrapped" }, "True", "Bootstrapped"],
    [{ mode: "observe" }, "Unknown", "DnsResolutionFailed"],
  ])("tells %j as %s with the reason %s, and asks for nothing", (fields, status, reason) => {
    expect(conditions(account(fields))).toEqual([
      expect.objectContaining({ type: conditionTypes.succeeded, status, reason }),
    ]);
  });

  test("names the verdict object in the message of a failure", () => {
    expect(conditions(account())[0]?.message).toContain("kubectl get bootstrapverdict md-0-x-1234 -o yaml");
  });

  test("keeps the time of the last transition while the status stays, also when the reason changes", () => {
    const first = conditions(account());
    const before = first.map((condition) => ({ ...condition, lastTransitionTime: at(0) }));
    expect(conditions(account({ reason: "KubeletNotRunning" }), none, before)[0]?.lastTransitionTime).toBe(at(0));
    expect(
      conditions(account({ outcome: "bootstrapped", reason: "Bootstrapped" }), none, before)[0]?.lastTransitionTime,
    ).toBe("2026-11-22T10:01:00Z");
  });

  test("asks for a replacement by a condition of its own, with the cause as its reason", () => {
    const marked = conditions(account(), { kind: "mark", since: at(1), fresh: true });
    expect(marked[1]).toMatchObject({
      type: conditionTypes.remediation,
      status: "True",
      reason: "DnsResolutionFailed",
    });
  });

  test("says why it does not ask for a replacement", () => {
    const held = conditions(account(), hold("ControlPlaneBusy"));
    expect(held[1]).toMatchObject({ status: "False", reason: "ControlPlaneBusy" });
    expect(held[1]?.message).toContain("Another control plane machine");
  });
});
