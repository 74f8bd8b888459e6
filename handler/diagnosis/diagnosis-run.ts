import type { Shown } from "../text/shown-text.ts";
import type { Diagnosis, EvidenceSummary, ProbeResult } from "./diagnosis.ts";
import type { Excerpt } from "./excerpts.ts";
import type { MachineFacts } from "./machine-facts.ts";
import type { TimelineEvent } from "./timeline.ts";
import type { Traces } from "./trace-sink.ts";

/** What a diagnosis found and what it looked at; all texts may be shown. */
export interface DiagnosisRun {
  readonly diagnosis: Shown<Diagnosis>;
  readonly evidence: readonly Shown<EvidenceSummary>[];
  readonly probes: readonly Shown<ProbeResult>[];
  readonly timeline: readonly TimelineEvent[];
  readonly traces: Traces;
  readonly machine: Shown<MachineFacts>;
  /** The logs' newest ends, redacted when called: seconds of work that no verdict should wait for. */
  readonly excerpts: () => readonly Excerpt[];
}
