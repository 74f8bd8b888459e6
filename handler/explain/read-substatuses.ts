import * as v from "valibot";
import {
  diagnosisMessageSchema,
  evidenceMessageSchema,
  findingMessageSchema,
  timelineMessageSchema,
  verdictMessageSchema,
} from "../contract/substatus-schema.ts";
import { substatusNames, type FindingMessage, type TimelineEntry } from "../contract/verdict-substatus.ts";
import { stages, type ProbeResult } from "../diagnosis/diagnosis.ts";
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

/*
 * The published shapes, forgiving: a later version may know more modes, sides and stages, and what is missing beside the answer
 * itself costs no more than itself.
 */
const texts = v.fallback(v.array(v.string()), []);
const text = v.exactOptional(v.string());

/** The verdict objects in the management cluster are made of its fields. */
export const verdictSchema = v.object({
  ...v.omit(verdictMessageSchema, ["timeoutSeconds", "checkVersion"]).entries,
  mode: text,
  blame: text,
  confidence: text,
  time: text,
  handlerVersion: text,
  vmId: text,
  providers: texts,
  warnings: texts,
});
const findingSchema = v.object({
  ...findingMessageSchema.entries,
  stage: v.fallback(v.picklist(stages), "any"),
  references: texts,
});
const diagnosisSchema = v.object({
  ...v.omit(diagnosisMessageSchema, ["kind"]).entries,
  primary: v.exactOptional(findingSchema),
  others: v.array(findingSchema),
});
export const timelineSchema = timelineMessageSchema;
export const evidenceSchema = v.object({
  ...v.omit(evidenceMessageSchema, ["sources"]).entries,
  lines: v.array(v.object({ origin: v.string(), line: v.exactOptional(v.number()), text: v.string() })),
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
