import type { EvidenceLine, SourceId } from "./diagnosis.ts";

/** How much a line says that a step ended badly: 3 is a verdict of the step itself, 1 an error in passing. */
export type ErrorWeight = 1 | 2 | 3;

export interface ErrorLine {
  readonly source: SourceId;
  readonly origin: string;
  readonly originIndex: number;
  readonly line: number;
  readonly text: string;
  readonly weight: ErrorWeight;
}

interface ErrorPattern {
  readonly pattern: RegExp;
  readonly weight: ErrorWeight;
}

/** Errors by the form that programs give them, not by their words: kubeadm, klog, logrus, systemd, apt, Python, shells, Go. */
export const errorPatterns: readonly ErrorPattern[] = [
  { pattern: /error execution phase/u, weight: 3 },
  { pattern: /\[ERROR [A-Za-z]/u, weight: 3 },
  { pattern: /level=fatal/u, weight: 3 },
  { pattern: /(?:^|[:\]] )F\d{4} \d\d:\d\d:\d\d/u, weight: 3 },
  { pattern: /"command failed" err=/u, weight: 3 },
  { pattern: /^panic: /u, weight: 3 },
  { pattern: /terminal failure|exited with non-zero|exit(?:ed with)? (?:status|code)[ =:"]{1,3}[1-9]/iu, weight: 3 },
  { pattern: /Failed with result '/u, weight: 2 },
  { pattern: /^E: /u, weight: 2 },
  { pattern: /curl: \(\d/u, weight: 2 },
  { pattern: /^(?:fatal|error): /iu, weight: 2 },
  { pattern: /^[A-Za-z_.]*(?:Error|Exception): /u, weight: 2 },
  { pattern: /level=error/u, weight: 2 },
  { pattern: /(?:CRITICAL|FATAL)/u, weight: 2 },
  { pattern: /(?:^|[:\]] )E\d{4} \d\d:\d\d:\d\d/u, weight: 1 },
  { pattern: /command not found|no such file or directory|permission denied/iu, weight: 1 },
  { pattern: /\b(?:error|failed|failure)\b/iu, weight: 1 },
];

/** Texts to search for; the line scanner notices the forms without a text by their first bytes. */
export const errorTexts: readonly string[] = [
  "error",
  "fail",
  "fatal",
  "panic: ",
  "critical",
  "exit status",
  "exit code",
  "curl: (",
  "exception",
  "not found",
  "no such file",
  "permission den",
  "]: e0",
  "]: e1",
  "]: f0",
  "]: f1",
];

/** What a healthy guest agent writes at every start, in words that look like errors: all texts of one stand in the line. */
const healthy: readonly (readonly string[])[] = [["[GetWireserverEndpoint] Missing file"], ["Distro: ", "; OSUtil: "]];

export function errorWeight(text: string): ErrorWeight | undefined {
  if (healthy.some((texts) => texts.every((part) => text.includes(part)))) return undefined;
  return errorPatterns.find(({ pattern }) => pattern.test(text))?.weight;
}

/** The lines to quote when no rule applies: weightiest first, of these the last, shown in the order of the log. */
export function decisiveLines(lines: readonly ErrorLine[], most: number): readonly EvidenceLine[] {
  const chosen: ErrorLine[] = [];
  const seen = new Set<string>();
  for (const line of lines.toSorted(moreTelling)) {
    const shape = line.text.replace(leadingTime, "").replace(/\d+/gu, "0").slice(0, 160);
    if (seen.has(shape)) continue;
    seen.add(shape);
    chosen.push(line);
    if (chosen.length === most) break;
  }
  return chosen
    .toSorted((a, b) => a.originIndex - b.originIndex || a.line - b.line)
    .map(({ source, origin, line, text }) => ({ source, origin, line, text }));
}

/** The same line stands in a program's own log with its time, and in the journal without it. */
const leadingTime = /^\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]{8,}(?:Z|[+-]\d\d:?\d\d)? +/u;

/** Of equal weight, what the check or command itself said comes before what a log of the machine says. */
function moreTelling(a: ErrorLine, b: ErrorLine): number {
  const own = Number(b.source === "command-output") - Number(a.source === "command-output");
  return b.weight - a.weight || own || b.originIndex - a.originIndex || b.line - a.line;
}
