import type { LookResult } from "../../../scripts/check/look.ts";
import { closedReason } from "../../reasons/reasons.ts";
import { noAnswer } from "../looker.ts";
import type { CheckReport } from "../../verdict/outcome.ts";
import type { HookedAnswer } from "./run-hooks.ts";
import type { LookEnd } from "./run-look.ts";

/** A look as an answer: one without a result is "not yet", with a note that says why, and what was seen before it. */
export function answerOf(end: LookEnd, before: CheckReport = { facts: {} }): HookedAnswer {
  if (end.kind === "result") return { verdict: end.result.verdict, report: toReport(end.result) };
  const { report } = noAnswer(before, end.kind === "no-result" ? end.why : "it was interrupted");
  return { verdict: "not-yet", report };
}

/** The same keys that a check of protocol 1 writes. */
function toReport(result: LookResult): CheckReport {
  const { stage, reason, message, providers, running, remarks, decidedBy } = result;
  const joined = (key: string, texts: readonly string[], by: string) =>
    texts.length === 0 ? {} : { [key]: texts.join(by) };
  return {
    stage,
    ...(reason === undefined ? {} : { reason: closedReason(reason) }),
    ...(message === undefined ? {} : { message }),
    ...(providers.length === 0 ? {} : { providers }),
    nextCheckSeconds: result.nextLookMs / 1000,
    facts: {
      ...result.facts,
      ...joined("running", running, ", "),
      ...joined("remark", remarks, "; "),
      ...joined("decided-by", decidedBy, "; "),
      ...(result.next === undefined ? {} : { next: result.next }),
      ...(result.retryable === undefined ? {} : { retryable: String(result.retryable) }),
    },
  };
}
