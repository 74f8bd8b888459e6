import { redact } from "../logging/redact.ts";
import type { Diagnosis, EvidenceLine, Finding } from "./diagnosis.ts";

/** Every text that came from a log, redacted. The matcher works on raw bytes, so nothing it quotes may leave without this. */
export function redactDiagnosis(diagnosis: Diagnosis): Diagnosis {
  const others = diagnosis.others.map(redactFinding);
  switch (diagnosis.kind) {
    case "healthy":
      return { kind: "healthy", others };
    case "unclassified":
      return { kind: "unclassified", others, decisive: diagnosis.decisive.map(redactLine) };
    case "classified":
      return {
        kind: "classified",
        primary: redactFinding(diagnosis.primary),
        others,
        decisive: diagnosis.decisive.map(redactLine),
      };
  }
}

function redactFinding(finding: Finding): Finding {
  return { ...finding, summary: redact(finding.summary), evidence: finding.evidence.map(redactLine) };
}

function redactLine(line: EvidenceLine): EvidenceLine {
  return { ...line, text: redact(line.text) };
}
