import type { InferOutput } from "valibot";
import type {
  diagnosisMessageSchema,
  evidenceMessageSchema,
  findingMessageSchema,
  proofMessageSchema,
  timelineMessageSchema,
  verdictMessageSchema,
} from "./substatus-schema.ts";

/**
 * The messages of our substatuses are JSON texts of these shapes; programs read them, and `capz-bootstrap explain` renders them.
 * Published as manifests/status.schema.json. Readers must ignore keys they do not know; a breaking change raises schemaVersion.
 */
export const statusSchemaVersion = 1 as const;

/** Stable names: Azure shows them to clients as `ComponentStatus/<name>/<status>`. */
export const substatusNames = {
  verdict: "BootstrapVerdict",
  diagnosis: "BootstrapDiagnosis",
  timeline: "BootstrapTimeline",
  evidence: "BootstrapEvidence",
  proof: "BootstrapProof",
  clarification: "ErrorClarification",
} as const;

/** What a schema lets through, as a value that nobody changes. */
type Fixed<Value> = Value extends readonly (infer Item)[]
  ? readonly Fixed<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Fixed<Value[Key]> }
    : Value;

/** `reason` is CamelCase and stable: one of handler/reasons (docs/codes.md), or with the prefix `Custom`. */
export type VerdictMessage = Fixed<InferOutput<typeof verdictMessageSchema>>;
export type VerdictOutcome = VerdictMessage["outcome"];
export type DiagnosisMessage = Fixed<InferOutput<typeof diagnosisMessageSchema>>;
export type FindingMessage = Fixed<InferOutput<typeof findingMessageSchema>>;
export type TimelineMessage = Fixed<InferOutput<typeof timelineMessageSchema>>;
export type TimelineEntry = TimelineMessage["entries"][number];
export type EvidenceMessage = Fixed<InferOutput<typeof evidenceMessageSchema>>;
export type ProofMessage = Fixed<InferOutput<typeof proofMessageSchema>>;
