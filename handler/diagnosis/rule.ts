import type { Cause, Reason } from "./causes.ts";
import type { Blame } from "../reasons/reason-row.ts";
import type { Confidence, SourceId, Stage } from "./diagnosis.ts";

/** A regular expression as it travels in rules.json. Flags: "u" or "iu". */
export interface PatternText {
  readonly source: string;
  readonly flags: string;
  /**
   * Texts in lower case of which at least one stands in every line that it matches, found by the build. One expression of a
   * pattern has them, that whose texts are the most telling; patterns of `except` have none, because nothing is searched for them.
   */
  readonly texts?: readonly string[];
}

/** As authored: one expression, or several that must all match the same line. */
export type AuthoredPattern = RegExp | readonly RegExp[];
/** As shipped: the expressions that must all match the same line. */
export type ShippedPattern = readonly PatternText[];

interface RuleBase<Pattern> {
  /** File name, without extension: kebab-case. */
  readonly id: string;
  readonly platforms: readonly ("linux" | "windows")[];
  readonly stage: Stage;
  /** "any" reads every source. Signatures that a runcmd can print need "cloud-init-output" too. */
  readonly sources: "any" | readonly SourceId[];
  /** At least one of them matches a line. */
  readonly any: readonly Pattern[];
  /** Each of them matches a line as well (not necessarily the same one). */
  readonly all?: readonly Pattern[];
  /** Lines that match one of these are not seen by `any` and `all`: warnings that share the words of the error. */
  readonly except?: readonly Pattern[];
}

export interface FailureRule<Pattern> extends RuleBase<Pattern> {
  readonly kind: "failure";
  /** Label of the cause taxonomy; several rules may share one. */
  readonly cause: string;
  /** CamelCase and stable: operators put it into alerts. One per cause as a rule. */
  readonly reason: string;
  /** A veto: the rule does not apply when a line of the evidence matches, whatever its place. */
  readonly none?: readonly Pattern[];
  /** A later match of one of these (same step, this time good) cancels the finding. */
  readonly recoveredBy?: readonly Pattern[];
  /** Two named groups: the rule applies only when both were seen and no value of one is a value of the other. */
  readonly differ?: readonly [string, string];
  /** Matching lines needed; 1 unless a single one is normal in a healthy start. */
  readonly minCount?: number;
  /** Seconds between first and last matching line needed, where lines carry times; for what is normal during start. */
  readonly minSeconds?: number;
  /** 1 (says only that something failed) to 100 (names the cause beyond doubt). See docs/rules.md. */
  readonly specificity: number;
  readonly confidence: Confidence;
  /** Ids or causes of rules whose findings are symptoms when this one applies. */
  readonly explains?: readonly string[];
  readonly retryable: boolean;
  readonly blame: Blame;
  /** At most 80 characters, no full stop. */
  readonly title: string;
  /** One sentence; `{name}` or `{name|fallback}` takes the named group of the last matching line. */
  readonly summary: string;
  /** What it means for this node. */
  readonly explanation: string;
  /** Names the field of the CAPZ or Cluster API object to change. Its first sentence goes to the status line. */
  readonly nextStep: string;
  readonly references: readonly string[];
}

/** A sign that a step went through. Failures of the covered stages that stand before it are recovered. */
export interface SuccessRule<Pattern> extends RuleBase<Pattern> {
  readonly kind: "success";
  readonly title: string;
  readonly covers: readonly Stage[];
  /** Causes that it settles whatever their stage. */
  readonly settles?: readonly string[];
  /** True for an end of the whole bootstrap (joined, initialized), false for a step on the way. */
  readonly final: boolean;
}

/** What a file of scripts/rules/ exports: a typed literal, `as const satisfies Rule`. */
export type Rule =
  (FailureRule<AuthoredPattern> & { readonly cause: Cause; readonly reason: Reason }) | SuccessRule<AuthoredPattern>;
export type ShippedRule = FailureRule<ShippedPattern> | SuccessRule<ShippedPattern>;

/** A rules.json that breaks one of these is refused whole. */
export const ruleLimits = {
  fileBytes: 8 * 1024 * 1024,
  rules: 2000,
  patternsPerRule: 48,
  patternLength: 400,
  textLength: 1200,
  /** Shortest text that a pattern must contain so that lines can be found without running it. */
  literalLength: 4,
  longestLiteral: 14,
  /** Texts of one pattern. */
  literals: 24,
} as const;
