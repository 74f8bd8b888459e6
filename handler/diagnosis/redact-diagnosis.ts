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
  return { ...line, text: redact(withoutCutWord(line.text)) };
}

/** The matcher keeps this many bytes or characters of a line (open-log.ts), with or without an ellipsis. */
const keptLength = 600;

/** Half a token is not recognised any more, so the word at the cut goes. */
function withoutCutWord(text: string): string {
  if (!text.endsWith("…") && Buffer.byteLength(text) < keptLength - 3) return text;
  const end = Math.max(...[" ", "\t", ",", '"'].map((separator) => text.lastIndexOf(separator)));
  return end <= 0 ? text : `${text.slice(0, end + 1)}…`;
}
