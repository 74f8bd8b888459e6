import type { LookRecord, LookResult, Observation } from "../../scripts/check/look.ts";
import type { Answer, CertificateAnswer, QuestionName } from "../../scripts/check/questions.ts";
import type { ProofMessage } from "../contract/verdict-substatus.ts";

/** What of a proof one look of the check has seen already. */
export type SeenByLook = Pick<ProofMessage, "hostName" | "check" | "sentinel"> & {
  /** Undefined where the look saw no reason to ask. */
  readonly health: ProofMessage["kubelet"]["health"] | undefined;
};

const sentinelName = "bootstrap-success.complete";
const mostReasons = 5;

/** Pure. `record`: undefined when the look came to no result. `usualSentinel`: its path where the look never asked. */
export function readLook(record: LookRecord | undefined, usualSentinel: string, now: Date): SeenByLook {
  const observations = record?.observations ?? [];
  const machine = answersTo(observations, "machine")[0]?.value;
  const health = answersTo(observations, "healthz").at(-1)?.value;
  return {
    ...(machine === undefined ? {} : { hostName: machine.hostName }),
    check: record === undefined ? { says: "nothing", decidedBy: [] } : said(record.result),
    sentinel: sentinelOf(observations, usualSentinel, now),
    health: health === undefined ? undefined : healthOf(health),
  };
}

export function healthOf(
  answer: { readonly kind: "status"; readonly status: number } | { readonly kind: "refused" | "no-answer" },
): ProofMessage["kubelet"]["health"] {
  if (answer.kind !== "status") return answer.kind;
  return answer.status === 200 ? "ok" : "failing";
}

function said({ verdict, stage, reason, decidedBy }: LookResult): ProofMessage["check"] {
  return {
    says: verdict,
    stage,
    ...(reason === undefined ? {} : { reason }),
    decidedBy: decidedBy.slice(0, mostReasons),
  };
}

/** Of several places the one where it is. */
function sentinelOf(observations: readonly Observation[], usual: string, now: Date): ProofMessage["sentinel"] {
  const asked = answersTo(observations, "path").filter(({ question }) => question.path.endsWith(sentinelName));
  const there = asked.find(({ value }) => value.kind !== "absent");
  if (there === undefined) return { path: asked[0]?.question.path ?? usual, state: askedOr(asked.length) };
  const { question, value } = there;
  if (value.kind === "absent") return { path: question.path, state: "absent" };
  const ageSeconds = Math.max(0, Math.round((now.getTime() - value.modifiedMs) / 1000));
  return { path: question.path, state: "present", writtenAt: timeOf(value.modifiedMs), ageSeconds };
}

function askedOr(count: number): "absent" | "not-told" {
  return count === 0 ? "not-told" : "absent";
}

export function certificateOf(
  path: string,
  { commonName, issuer, notBeforeMs, notAfterMs }: Extract<CertificateAnswer, { kind: "certificate" }>,
): ProofMessage["certificates"][number] {
  return { path, name: commonName, issuer, notBefore: timeOf(notBeforeMs), notAfter: timeOf(notAfterMs) };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

type Asked<Name extends QuestionName> = Extract<Observation["question"], { ask: Name }>;
type Told<Name extends QuestionName> = Extract<Answer<Name>, { kind: "known" }>["value"];

/** Those that were answered, in the order in which they were asked. The record's answers fit its questions by construction. */
function answersTo<Name extends QuestionName>(
  observations: readonly Observation[],
  name: Name,
): readonly { readonly question: Asked<Name>; readonly value: Told<Name> }[] {
  return observations.flatMap(({ question, answer }) =>
    question.ask === name && answer.kind === "known"
      ? [{ question: question as Asked<Name>, value: answer.value as Told<Name> }]
      : [],
  );
}
