import type { EvidenceLine, EvidenceSummary, Finding, ProbeResult } from "../diagnosis/diagnosis.ts";
import type { Blame } from "../reasons/reason-row.ts";
import type { Mode } from "../settings/settings.ts";

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
  clarification: "ErrorClarification",
} as const;

export const verdictOutcomes = ["waiting", "bootstrapped", "failed", "deadline", "interrupted", "not-checked"] as const;
/**
 * `failed`: a terminal state was seen; `deadline`: time ran out; `interrupted`: stopped before a verdict;
 * `not-checked`: settings, download or handler error, so that nothing is known of the node.
 */
export type VerdictOutcome = (typeof verdictOutcomes)[number];

export interface VerdictMessage {
  readonly schemaVersion: 1;
  readonly outcome: VerdictOutcome;
  /** CamelCase, stable: one of handler/reasons (docs/codes.md), or with the prefix `Custom`. `Bootstrapped` for success, `BootstrapInProgress` while waiting. */
  readonly reason: string;
  /** The number of docs/codes.md; 0 for success and while waiting. */
  readonly code: number;
  readonly mode: Mode;
  /** Where the node stands or stood, in words for a person: "kubeadm join". */
  readonly stage?: string;
  /** One sentence: what happened. */
  readonly summary: string;
  readonly nextStep?: string;
  /** False: the same machine made again would fail the same way. Absent when not known. */
  readonly retryable?: boolean;
  readonly blame?: Blame;
  readonly confidence?: Finding["confidence"];
  /** Bootstrap providers whose evidence was found. */
  readonly providers: readonly string[];
  /** Whole seconds since the wait began; survives reboots. */
  readonly elapsedSeconds: number;
  readonly timeoutSeconds: number;
  /** RFC 3339, UTC: when this verdict was reached (or, while waiting, written). */
  readonly time: string;
  readonly vmId: string;
  /** Number of the settings (the agent's sequence) that were judged; absent outside of the guest agent. */
  readonly sequence?: number;
  readonly handlerVersion: string;
  /** Version of the check bundle; absent for a plain command. */
  readonly checkVersion?: string;
  readonly warnings: readonly string[];
  /** Address-free place of the full report on the machine. */
  readonly reportFile?: string;
}

export interface DiagnosisMessage {
  readonly schemaVersion: 1;
  readonly kind: "classified" | "unclassified" | "healthy";
  /** Present if and only if kind is `classified`. */
  readonly primary?: FindingMessage;
  readonly others: readonly FindingMessage[];
}

/** A finding without its evidence lines, which stand once in BootstrapEvidence. */
export type FindingMessage = Pick<
  Finding,
  | "ruleId"
  | "reason"
  | "cause"
  | "stage"
  | "title"
  | "summary"
  | "explanation"
  | "nextStep"
  | "references"
  | "retryable"
  | "blame"
  | "confidence"
  | "role"
>;

export interface TimelineMessage {
  readonly schemaVersion: 1;
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
}

export interface TimelineEntry {
  /** RFC 3339, UTC. */
  readonly time: string;
  /** Whole seconds since the wait began; negative for what happened before. */
  readonly seconds: number;
  readonly stage?: string;
  /** What happened, in words: "cloud-init finished with errors". */
  readonly event: string;
}

export interface EvidenceMessage {
  readonly schemaVersion: 1;
  /** The decisive lines, redacted, most telling first. */
  readonly lines: readonly EvidenceLine[];
  readonly probes: readonly ProbeResult[];
  /** What was looked at, also what could not be had. */
  readonly sources: readonly EvidenceSummary[];
}
