import { ours, show, type ShownText } from "../text/shown-text.ts";
import type { Finding } from "./diagnosis.ts";

/** What is known of a failure beside its cause; absent fields are not known. */
export type Judgement = Partial<Pick<Finding, "confidence" | "blame" | "retryable">>;

/** The same as a reader finds it, where a later version may know more sides. */
interface ReadJudgement {
  readonly confidence?: string;
  readonly blame?: string;
  readonly retryable?: boolean;
}

/** "high confidence", "side: network", "a new machine may pass": one wording for status, report, `diagnose` and `explain`. */
export function judgementWords({ confidence, blame, retryable }: ReadJudgement): readonly ShownText[] {
  return [
    ...(confidence === undefined ? [] : [ours`${show(confidence)} confidence`]),
    ...(blame === undefined ? [] : [ours`side: ${show(blame)}`]),
    ...retryWords(confidence, retryable),
  ];
}

/** Of a finding it is said that nobody knows; of what is told without a diagnosis nothing is. */
function retryWords(confidence: string | undefined, retryable: boolean | undefined): readonly ShownText[] {
  if (retryable === undefined) return confidence === undefined ? [] : [ours`${show(notKnown)}`];
  return [retryable ? mayPass : ours`a new machine fails in the same way`];
}

/** As whoever reads a message finds it. */
export const notKnown = "nobody knows whether a new machine passes";
const mayPass = ours`a new machine may pass`;
