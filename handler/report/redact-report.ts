import { redactDiagnosis } from "../diagnosis/redact-diagnosis.ts";
import { redact } from "../logging/redact.ts";
import type { Report } from "./report.ts";

/** Every text of a report that came from the machine, redacted once more: whoever filled it, no secret gets into a file. */
export function redactReport(report: Report): Report {
  return {
    ...report,
    firstLine: redact(report.firstLine),
    body: report.body.map(redact),
    warnings: report.warnings.map(redact),
    diagnosis: redactDiagnosis(report.diagnosis),
    timeline: report.timeline.map((entry) => ({ ...entry, event: redact(entry.event) })),
    probes: report.probes.map((probe) => ({ ...probe, target: redact(probe.target), message: redact(probe.message) })),
    sources: report.sources.map((one) => (one.note === undefined ? one : { ...one, note: redact(one.note) })),
  };
}
