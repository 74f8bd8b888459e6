import { findVerdictText } from "../../handler/explain/find-verdict-text.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject, type JsonObject } from "../../handler/text/parse-json.ts";
import type { Account } from "./account.ts";
import { makeAccount } from "./make-account.ts";
import { asMoment } from "./moment.ts";

/**
 * What CAPZ's own condition tells, without any right in Azure. Our first line stands in it while a failure is new, wrapped into the
 * error of ARM; at its next reconcile CAPZ sets the condition to True, which is no word of the extension and gives nothing here.
 */
export function readCapzObject(value: unknown, now: string): Account | undefined {
  const condition = conditionIn(value);
  if (condition === undefined || condition["status"] === "True") return undefined;
  const message = textOf(condition["message"]) ?? "";
  const time = asMoment(textOf(condition["lastTransitionTime"])) ?? now;
  const reason = textOf(condition["reason"]) ?? "";
  // `Failed` may be about any extension of the machine, so without our words it says nothing of the bootstrap.
  if (findVerdictText(message) !== undefined || reason === "Failed") return told({ message, time });
  // The reason of scale set instances, which CAPZ takes from the extension of our name alone; its text is always the same.
  if (reason === "BootstrapFailed") return { ...told({ message, time }), outcome: "failed", reason };
  return inProgress(reason, time);
}

/**
 * Another text whenever CAPZ has turned its condition. Its True is never believed, but it is a reason to ask Azure at once: it comes when the
 * extension has ended well.
 */
export function capzTurn(value: unknown): string | undefined {
  const condition = conditionIn(value);
  if (condition === undefined) return undefined;
  return ["status", "reason", "lastTransitionTime"].map((key) => textOf(condition[key]) ?? "").join(" ");
}

function conditionIn(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  return listOf(objectOf(value["status"])["conditions"]).filter(isJsonObject).find(isBootstrap);
}

function told({ message, time }: { readonly message: string; readonly time: string }): Account {
  const account = makeAccount({
    source: "capzCondition",
    found: { from: "condition BootstrapSucceeded", message, substatuses: [], notes: [] },
    time,
  });
  // A condition that is not True and yet quotes a success is left over from another run.
  return account.outcome === "bootstrapped" ? { ...account, outcome: "unknown", reason: "NoAnswer" } : account;
}

/** `Creating` (AzureMachine) and `BootstrapInProgress` (scale set instances) are the reasons of a wait. */
function inProgress(reason: string, time: string): Account | undefined {
  if (reason !== "Creating" && reason !== "BootstrapInProgress") return undefined;
  return {
    source: "capzCondition",
    outcome: "waiting",
    reason: "BootstrapInProgress",
    time,
    firstLine: "CAPZ is waiting for the extension",
    evidence: [],
    timeline: [],
  };
}

function isBootstrap(condition: JsonObject): boolean {
  return condition["type"] === "BootstrapSucceeded";
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
