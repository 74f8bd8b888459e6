import type { Shown } from "../text/shown-text.ts";
import type { Diagnosis, EvidenceSummary, ProbeResult } from "../diagnosis/diagnosis.ts";
import type { MachineFacts } from "../diagnosis/machine-facts.ts";

/** The content of report.json, published as manifests/report.schema.json; the other forms show the same. */
export interface Report {
  readonly schemaVersion: 1;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly handlerVersion: string;
  readonly outcome: "bootstrapped" | "failed" | "deadline" | "not-checked" | "diagnosed";
  /** The first line of the status, whole. */
  readonly firstLine: string;
  /** The rest of the status message, line by line. */
  readonly body: readonly string[];
  readonly vmId?: string;
  /** Which machine it is; what could not be told is absent. */
  readonly machine?: MachineFacts;
  readonly checkVersion?: string;
  readonly elapsedSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly diagnosis: Diagnosis;
  readonly timeline: readonly ReportEvent[];
  readonly probes: readonly ProbeResult[];
  readonly sources: readonly EvidenceSummary[];
  readonly warnings: readonly string[];
}

/** A report as it leaves the machine. */
export type ShownReport = Shown<Report>;

export interface ReportEvent {
  readonly time: string;
  /** Whole seconds since the wait began; absent where nothing was waited for. */
  readonly seconds?: number;
  readonly stage?: string;
  readonly event: string;
}
