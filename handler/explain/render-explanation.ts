import { judgementWords } from "../diagnosis/judgement.ts";
import type { Answer, Explanation } from "./explanation.ts";

/** For a person. */
export function renderExplanation(explanation: Explanation): string {
  if (explanation.kind === "not-understood") return `${explanation.problem}\n`;
  if (explanation.answers.length === 0) return `No machine in the ${explanation.recognised}.\n`;
  return `${explanation.answers.map(renderAnswer).join("\n\n")}\n`;
}

function renderAnswer(answer: Answer): string {
  return [
    answer.machine === undefined ? answer.from : `${answer.machine} (${answer.from})`,
    ...field("Verdict", verdictWords(answer)),
    ...field(answer.outcome === "unknown" ? "Known" : "Cause", isGood(answer) ? undefined : answer.summary),
    ...field("", isGood(answer) ? answer.summary : answer.explanation),
    ...field("", judgement(answer)),
    ...field("Next step", answer.nextStep),
    ...part(
      "Evidence",
      answer.evidence.map(
        ({ origin, line, text }) => `${origin}${line === undefined ? "" : `:${String(line)}`}: ${text}`,
      ),
    ),
    ...part(
      "Probes",
      answer.probes.map(({ name, target, state, message }) => `${state}: ${name} ${target}: ${message}`),
    ),
    ...part("Timeline", answer.timeline.map(timelineLine)),
    ...part(
      "Also seen",
      answer.otherFindings.map(({ reason, role, title }) => `${title} (${reason}, ${role})`),
    ),
    ...part("Warnings", answer.warnings),
    ...part("Notes", answer.notes),
    ...field("Report", answer.reportFile === undefined ? undefined : `${answer.reportFile} (on the machine)`),
  ].join("\n");
}

function isGood({ outcome }: Answer): boolean {
  return outcome === "bootstrapped" || outcome === "waiting";
}

const outcomeWords: Readonly<Record<Answer["outcome"], string>> = {
  waiting: "still waiting",
  bootstrapped: "bootstrapped",
  failed: "failed",
  deadline: "failed, the deadline ran out",
  interrupted: "stopped before a verdict",
  "not-checked": "not checked",
  unknown: "not known",
};

function verdictWords(answer: Answer): string {
  const reason = answer.reason === undefined || isGood(answer) ? "" : ` (${answer.reason})`;
  const stage = answer.stage === undefined ? "" : ` in ${answer.stage}`;
  const after = answer.elapsedSeconds === undefined ? "" : ` after ${String(answer.elapsedSeconds)} s`;
  const mode =
    answer.mode === undefined || answer.mode === "enforce" ? "" : `; mode ${answer.mode} reports it as a success`;
  return `${outcomeWords[answer.outcome]}${reason}${stage}${after}${isGood(answer) ? "" : mode}`;
}

function judgement(answer: Answer): string | undefined {
  const parts = judgementWords(answer);
  return parts.length === 0 ? undefined : `[${parts.join("; ")}]`;
}

function timelineLine({ seconds, stage, event }: Answer["timeline"][number]): string {
  const sign = seconds < 0 ? "" : "+";
  return `${`${sign}${String(seconds)} s`.padStart(8)}  ${stage === undefined ? "" : `${stage}: `}${event}`;
}

function field(label: string, text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  return [`  ${label === "" ? "" : `${label}:`}`.padEnd(14) + text];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
}
