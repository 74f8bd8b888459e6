import * as v from "valibot";
import { confidences, findingRoles, sourceIds, stages } from "../diagnosis/diagnosis.ts";
import { blames } from "../reasons/reason-row.ts";
import { modes } from "../settings/settings.ts";

/*
 * The one source of the substatuses' shapes: their types (verdict-substatus.ts), what `explain` reads (explain/read-substatuses.ts)
 * and manifests/status.schema.json come from here. The supervisor writes them and never loads this file.
 */

/** What the published schema says beside the type; a reader does not insist on it. */
export interface Facets {
  readonly description?: string;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  /** A number without a fraction. */
  readonly integer?: true;
  /** Name under which the published schema defines it once. */
  readonly definition?: string;
}

function noted<const Schema extends v.GenericSchema>(schema: Schema, facets: Facets) {
  return v.pipe(schema, v.metadata({ ...facets }));
}

const reason = noted(v.string(), { definition: "Reason" });
const sentence = noted(v.string(), { minLength: 1 });
const count = noted(v.number(), { integer: true, minimum: 0 });
const time = noted(v.string(), {
  description: "RFC 3339, UTC.",
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`,
});

const verdictOutcomes = ["waiting", "bootstrapped", "failed", "deadline", "interrupted", "not-checked"] as const;

export const verdictMessageSchema = v.object({
  schemaVersion: v.literal(1),
  outcome: noted(v.picklist(verdictOutcomes), {
    description:
      "failed: a terminal state was seen. deadline: the time ran out. interrupted: stopped before a verdict. not-checked: settings, a download or the extension itself failed, or mode report; nothing is said of the node.",
  }),
  reason,
  code: noted(v.number(), {
    integer: true,
    description:
      "0 for success; above 0 the side of the user or the cluster, below 0 that of the extension or the platform. docs/codes.md.",
  }),
  mode: v.exactOptional(noted(v.picklist(modes), { description: "Absent before the settings are read." })),
  stage: v.exactOptional(noted(v.string(), { description: "In words, for a person." })),
  summary: noted(v.string(), { minLength: 1, description: "One sentence: what happened." }),
  nextStep: v.exactOptional(v.string()),
  retryable: v.exactOptional(
    noted(v.boolean(), {
      description: "false: the same machine made again fails in the same way. Absent when not known.",
    }),
  ),
  blame: v.exactOptional(v.picklist(blames)),
  confidence: v.exactOptional(v.picklist(confidences)),
  providers: noted(v.array(v.string()), { description: "Bootstrap providers whose evidence was found." }),
  elapsedSeconds: count,
  timeoutSeconds: v.exactOptional(
    noted(v.number(), { integer: true, minimum: 0, description: "Absent before the settings are read." }),
  ),
  time,
  vmId: v.string(),
  sequence: v.exactOptional(
    noted(v.number(), {
      integer: true,
      minimum: 0,
      description: "Number of the settings that were judged; absent outside of the guest agent.",
    }),
  ),
  handlerVersion: v.string(),
  checkVersion: v.exactOptional(
    noted(v.string(), { description: "Version of the check bundle; absent for a plain command." }),
  ),
  warnings: v.array(v.string()),
  reportFile: v.exactOptional(noted(v.string(), { description: "Where the full report lies on the machine." })),
  reportUri: v.exactOptional(
    noted(v.string(), { description: "Where the full report was uploaded, without what gives access to it." }),
  ),
});

/** A finding without its evidence lines, which stand once in BootstrapEvidence. */
export const findingMessageSchema = v.object({
  ruleId: v.string(),
  reason,
  cause: v.string(),
  stage: v.picklist(stages),
  title: sentence,
  summary: sentence,
  explanation: v.string(),
  nextStep: sentence,
  references: v.array(v.string()),
  retryable: v.exactOptional(noted(v.boolean(), { description: "Absent when not known." })),
  blame: v.picklist(blames),
  confidence: v.picklist(confidences),
  role: noted(v.picklist(findingRoles), {
    description: "cause: named first. symptom: explained by another finding. remark: true, but not why it failed.",
  }),
});

const finding = noted(findingMessageSchema, { definition: "finding" });

export const diagnosisMessageSchema = v.object({
  schemaVersion: v.literal(1),
  kind: v.picklist(["classified", "unclassified", "healthy"]),
  /** Present if and only if kind is `classified`. */
  primary: v.exactOptional(finding),
  others: v.array(finding),
});

export const timelineMessageSchema = v.object({
  schemaVersion: v.literal(1),
  entries: noted(
    v.array(
      v.object({
        time,
        seconds: noted(v.number(), {
          integer: true,
          description: "Since the wait began; negative for what was before.",
        }),
        stage: v.exactOptional(v.string()),
        event: sentence,
      }),
    ),
    { description: "Oldest first." },
  ),
});

export const evidenceMessageSchema = v.object({
  schemaVersion: v.literal(1),
  lines: noted(v.array(v.object({ source: v.picklist(sourceIds), origin: sentence, line: count, text: v.string() })), {
    description: "Redacted, most telling first.",
  }),
  probes: v.array(
    v.object({
      name: v.string(),
      target: v.string(),
      state: v.picklist(["passed", "failed", "not-run"]),
      message: v.string(),
      durationMs: noted(v.number(), { minimum: 0 }),
    }),
  ),
  sources: noted(
    v.array(
      v.object({
        origin: v.string(),
        source: v.picklist(sourceIds),
        state: v.picklist(["read", "cut", "not-available", "timed-out"]),
        bytes: count,
        note: v.exactOptional(v.string()),
      }),
    ),
    { description: "What was looked at, also what could not be had." },
  ),
});

const kubeletHealths = ["ok", "failing", "refused", "no-answer"] as const;
const diskOrigins = ["no-trace", "another-machine"] as const;

/** What was seen of the node when it counted as bootstrapped, or under mode `report`. It never changes a verdict. */
export const proofMessageSchema = v.object({
  schemaVersion: v.literal(1),
  verifiedAt: time,
  vmId: v.string(),
  hostName: v.exactOptional(v.string()),
  check: noted(
    v.object({
      says: v.picklist(["bootstrapped", "not-yet", "failed", "nothing"]),
      stage: v.exactOptional(v.string()),
      reason: v.exactOptional(reason),
      decidedBy: v.array(v.string()),
    }),
    { description: "One look of the packaged check at that time; in mode report it is told and judges nothing." },
  ),
  sentinel: v.object({
    path: sentence,
    state: v.picklist(["present", "absent", "not-told"]),
    writtenAt: v.exactOptional(time),
    ageSeconds: v.exactOptional(count),
  }),
  certificates: noted(
    v.array(v.object({ path: sentence, name: v.string(), issuer: v.string(), notBefore: time, notAfter: time })),
    { description: "The kubelet's client certificates that were found." },
  ),
  kubelet: v.object({
    health: noted(v.picklist(kubeletHealths), { description: "Of http://127.0.0.1:10248/healthz." }),
    version: v.exactOptional(v.string()),
  }),
  versions: v.object({
    handler: v.string(),
    check: v.exactOptional(v.string()),
    containerd: v.exactOptional(v.string()),
    system: v.exactOptional(v.string()),
    kernel: v.exactOptional(v.string()),
  }),
  image: v.exactOptional(
    noted(v.string(), {
      description: "As Azure's metadata service names it: a resource id, or publisher:offer:sku:version.",
    }),
  ),
  origin: noted(v.object({ kind: v.picklist(diskOrigins), why: v.exactOptional(v.string()) }), {
    description: "another-machine: this disk carries records of another instance. no-trace: none was found.",
  }),
});
