import * as v from "valibot";
import {
  substatusNames,
  verdictOutcomes,
  type FindingMessage,
  type TimelineEntry,
} from "../contract/verdict-substatus.ts";
import { confidences, findingRoles, stages, type ProbeResult } from "../diagnosis/diagnosis.ts";
import { blames } from "../reasons/reason-row.ts";
import { parseJson } from "../text/parse-json.ts";
import type { FoundSubstatus, QuotedLine } from "./explanation.ts";

/** The machine-readable part of a status, as far as it is there and whole. */
export interface ReadSubstatuses {
  readonly verdict?: v.InferOutput<typeof verdictSchema>;
  readonly primary?: FindingMessage;
  readonly otherFindings: readonly FindingMessage[];
  readonly evidence: readonly QuotedLine[];
  readonly probes: readonly ProbeResult[];
  readonly timeline: readonly TimelineEntry[];
  /** Names of substatuses that are ours but could not be read: cut by Azure, or of a later version. */
  readonly unreadable: readonly string[];
}

const texts = v.fallback(v.array(v.string()), []);
/** The published shape of the substatus as a reader takes it; the verdict objects in the management cluster are made of its fields. */
export const verdictSchema = v.object({
  schemaVersion: v.literal(1),
  outcome: v.picklist(verdictOutcomes),
  reason: v.string(),
  code: v.number(),
  mode: v.string(),
  summary: v.string(),
  elapsedSeconds: v.number(),
  stage: v.exactOptional(v.string()),
  nextStep: v.exactOptional(v.string()),
  retryable: v.exactOptional(v.boolean()),
  blame: v.exactOptional(v.string()),
  confidence: v.exactOptional(v.string()),
  time: v.exactOptional(v.string()),
  handlerVersion: v.exactOptional(v.string()),
  vmId: v.exactOptional(v.string()),
  sequence: v.exactOptional(v.number()),
  reportFile: v.exactOptional(v.string()),
  providers: texts,
  warnings: texts,
});

const findingSchema = v.object({
  ruleId: v.string(),
  reason: v.string(),
  cause: v.string(),
  stage: v.fallback(v.picklist(stages), "any"),
  title: v.string(),
  summary: v.string(),
  explanation: v.string(),
  nextStep: v.string(),
  references: texts,
  retryable: v.boolean(),
  blame: v.picklist(blames),
  confidence: v.picklist(confidences),
  role: v.picklist(findingRoles),
});
const diagnosisSchema = v.object({
  schemaVersion: v.literal(1),
  primary: v.exactOptional(findingSchema),
  others: v.array(findingSchema),
});
export const timelineSchema = v.object({
  schemaVersion: v.literal(1),
  entries: v.array(
    v.object({ time: v.string(), seconds: v.number(), stage: v.exactOptional(v.string()), event: v.string() }),
  ),
});
export const evidenceSchema = v.object({
  schemaVersion: v.literal(1),
  lines: v.array(v.object({ origin: v.string(), line: v.exactOptional(v.number()), text: v.string() })),
  probes: v.array(
    v.object({
      name: v.string(),
      target: v.string(),
      state: v.picklist(["passed", "failed", "not-run"]),
      message: v.string(),
      durationMs: v.number(),
    }),
  ),
});

export function readSubstatuses(substatuses: readonly FoundSubstatus[]): ReadSubstatuses {
  const unreadable: string[] = [];
  const read = <const S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> | undefined => {
    const found = substatuses.find((substatus) => substatus.name === name);
    if (found === undefined) return undefined;
    const json = parseJson(found.message);
    const parsed = json.kind === "value" ? v.safeParse(schema, json.value) : undefined;
    if (parsed?.success === true) return parsed.output;
    unreadable.push(name);
    return undefined;
  };
  const verdict = read(substatusNames.verdict, verdictSchema);
  const diagnosis = read(substatusNames.diagnosis, diagnosisSchema);
  const timeline = read(substatusNames.timeline, timelineSchema);
  const evidence = read(substatusNames.evidence, evidenceSchema);
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(diagnosis?.primary === undefined ? {} : { primary: diagnosis.primary }),
    otherFindings: diagnosis?.others ?? [],
    evidence: evidence?.lines ?? [],
    probes: evidence?.probes ?? [],
    timeline: timeline?.entries ?? [],
    unreadable,
  };
}
