import * as v from "valibot";
import { evidenceSchema, timelineSchema, verdictSchema } from "../../handler/explain/read-substatuses.ts";
import { longestReason } from "./reasons.ts";

/** `unknown`: nothing is known of the node (no answer, not checked, stopped before a verdict). */
const outcomes = ["waiting", "failed", "deadline", "bootstrapped", "unknown"] as const;
export type Outcome = (typeof outcomes)[number];

/** `instanceView`: the extension's own status through Azure. `capzCondition`: our first line in a condition that CAPZ wrote. */
const sources = ["instanceView", "capzCondition"] as const;
export type Source = (typeof sources)[number];

/** Bounds of one account: UTF-16 units of its texts, items, and bytes of the whole. An object has two of them and stays below 16 KiB. */
export const bounds = {
  firstLine: 400,
  nextStep: 400,
  word: 120,
  line: 300,
  lines: 8,
  entries: 16,
  address: 400,
  bytes: 7_400,
} as const;

/** Seconds; a number above it is no elapsed time of a bootstrap. */
export const longestElapsed = 10_000_000;

const text = (most: number) => v.pipe(v.string(), v.maxLength(most));
const word = text(bounds.word);
const moment = v.pipe(v.string(), v.isoTimestamp());

const evidenceLine = v.object({
  ...evidenceSchema.entries.lines.item.entries,
  origin: word,
  line: v.exactOptional(v.pipe(v.number(), v.integer())),
  text: text(bounds.line),
});

const timelineEntry = v.object({
  ...timelineSchema.entries.entries.item.entries,
  time: word,
  seconds: v.pipe(v.number(), v.integer()),
  stage: v.exactOptional(word),
  event: text(bounds.line),
});

/**
 * What one source says of one run of the extension. The fields are those of the substatus BootstrapVerdict (manifests/status.schema.json)
 * with bounds; the custom resource's schema is generated from this one.
 */
export const accountSchema = v.object({
  source: v.picklist(sources),
  outcome: v.picklist(outcomes),
  reason: v.pipe(v.string(), v.regex(/^[A-Z][A-Za-z0-9]*$/u), v.maxLength(longestReason)),
  /** When it was said, by the clock of who said it, which may be wrong: for people. Nothing is ordered by it but CAPZ's own words. */
  time: moment,
  ...stampFields(),
  firstLine: text(bounds.firstLine),
  ...boundedFieldsOfTheSubstatus(),
  /** When Azure made the VM: orders two VMs behind one Machine. */
  vmCreated: v.exactOptional(moment),
  evidence: v.pipe(v.array(evidenceLine), v.maxLength(bounds.lines)),
  timeline: v.pipe(v.array(timelineEntry), v.maxLength(bounds.entries)),
});

export type Account = v.InferOutput<typeof accountSchema>;

/** Times of this program's own clock, given when an account is heard (stamped); order is theirs. */
function stampFields() {
  return {
    /** When an account of this run and rank was first heard: since when it has failed, say. */
    heard: v.exactOptional(moment),
    /** When this account was last heard. */
    seen: v.exactOptional(moment),
    /** Of a wait: the latest moment at which the run can have begun. What CAPZ told before it is about an older run. */
    began: v.exactOptional(moment),
  };
}

/** Same names and meanings as in the substatus; what it has and this lacks stands in the instance view. */
function boundedFieldsOfTheSubstatus() {
  const { retryable } = verdictSchema.entries;
  return {
    stage: v.exactOptional(word),
    mode: v.exactOptional(word),
    blame: v.exactOptional(word),
    confidence: v.exactOptional(word),
    retryable,
    nextStep: v.exactOptional(text(bounds.nextStep)),
    reportFile: v.exactOptional(text(bounds.address)),
    reportUri: v.exactOptional(text(bounds.address)),
    vmId: v.exactOptional(word),
    sequence: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
    elapsedSeconds: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(longestElapsed))),
  };
}
