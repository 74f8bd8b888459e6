import type { VerdictOutcome } from "../contract/verdict-substatus.ts";
import { notKnown } from "../diagnosis/judgement.ts";
import type { QuotedLine } from "./explanation.ts";

/** What the message of a status says by itself, without the substatuses. */
export interface ReadMessage {
  readonly outcome: VerdictOutcome;
  readonly reason: string;
  readonly stage?: string;
  readonly elapsedSeconds?: number;
  readonly summary: string;
  readonly nextStep?: string;
  readonly explanation?: string;
  readonly confidence?: string;
  readonly blame?: string;
  readonly retryable?: boolean;
  readonly providers: readonly string[];
  readonly evidence: readonly QuotedLine[];
  readonly warnings: readonly string[];
  readonly reportFile?: string;
  readonly reportUri?: string;
}

/** Reads a message that begins with our first line (text/first-line.ts, verdict/verdict-body.ts). */
export function readMessage(message: string): ReadMessage | undefined {
  const [line = "", ...body] = message.split("\n").map((text) => text.trimEnd());
  const first = readFirstLine(line);
  return first === undefined ? undefined : { ...first, ...readBody(body) };
}

type FirstLine = Pick<
  ReadMessage,
  "outcome" | "reason" | "stage" | "elapsedSeconds" | "summary" | "nextStep" | "providers" | "evidence" | "warnings"
>;

const nothingMore = { providers: [], evidence: [], warnings: [] } as const;

function readFirstLine(line: string): FirstLine | undefined {
  return readFailed(line) ?? readPassed(line) ?? readWaiting(line) ?? readReported(line);
}

function readFailed(line: string): FirstLine | undefined {
  const verdict = ["failed", "not checked"].find((words) => line.startsWith(`Bootstrap ${words} (`));
  const colon = line.indexOf(": ");
  if (verdict === undefined || colon === -1) return undefined;
  const head = line.slice(line.indexOf("(") + 1, colon);
  const reason = head.slice(0, head.indexOf(")"));
  const rest = line.slice(colon + 2);
  const split = rest.lastIndexOf(" Next: ");
  return {
    ...nothingMore,
    outcome: outcomeOf(verdict, reason, rest),
    reason,
    ...readPlace(head.slice(reason.length + 1)),
    summary: split === -1 ? rest : rest.slice(0, split),
    ...(split === -1 ? {} : { nextStep: rest.slice(split + " Next: ".length) }),
  };
}

/** " in kubeadm join after 74 s", each half optional. */
function readPlace(text: string): Pick<FirstLine, "stage" | "elapsedSeconds"> {
  const after = text.lastIndexOf(" after ");
  const stage = text.startsWith(" in ") ? text.slice(" in ".length, after === -1 ? undefined : after) : undefined;
  const seconds = after === -1 ? Number.NaN : Number.parseInt(text.slice(after + " after ".length), 10);
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(Number.isNaN(seconds) ? {} : { elapsedSeconds: seconds }),
  };
}

function outcomeOf(verdict: string, reason: string, rest: string): VerdictOutcome {
  if (verdict === "not checked") return "not-checked";
  return reason === "DeadlineExceeded" || rest.startsWith("deadline reached; ") ? "deadline" : "failed";
}

function readPassed(line: string): FirstLine | undefined {
  // Of `diagnose`, which knows no time.
  if (line.startsWith("Bootstrapped: the logs end in success"))
    return { ...nothingMore, outcome: "bootstrapped", reason: "Bootstrapped", summary: line };
  const found = /^Bootstrapped in (\d+) s/.exec(line);
  if (found === null) return undefined;
  const [head, seconds] = found;
  const rest = line.slice(head.length);
  const providers = rest.startsWith(" (") ? rest.slice(2, rest.indexOf(")")).split(", ") : [];
  const elapsedSeconds = Number(seconds);
  return { ...nothingMore, outcome: "bootstrapped", reason: "Bootstrapped", elapsedSeconds, summary: line, providers };
}

function readWaiting(line: string): FirstLine | undefined {
  const prefix = "Waiting for bootstrap: ";
  if (!line.startsWith(prefix)) return undefined;
  const [stage = "", time = ""] = line.slice(prefix.length).split("; ");
  const seconds = /^\d+(?= s )/.exec(time)?.[0];
  return {
    ...nothingMore,
    outcome: "waiting",
    reason: "BootstrapInProgress",
    stage,
    ...(seconds === undefined ? {} : { elapsedSeconds: Number(seconds) }),
    summary: line,
  };
}

function readReported(line: string): FirstLine | undefined {
  const prefix = "Bootstrap reported, not judged: ";
  return line.startsWith(prefix)
    ? { ...nothingMore, outcome: "not-checked", reason: "Reported", summary: line }
    : undefined;
}

function readBody(body: readonly string[]): Partial<ReadMessage> {
  const output = body.findIndex((line) => line === "[stdout]" || line === "[stderr]");
  const told = output === -1 ? body : body.slice(0, output);
  const nextStep = behind(told, "Next: ");
  const reportFile = behind(body, "Full report on the machine: ");
  const reportUri = behind(body, "Full report: ");
  return {
    evidence: told.flatMap(quotedLine),
    warnings: told.flatMap((line) => (line.startsWith("Warning: ") ? [line.slice("Warning: ".length)] : [])),
    ...readCause(told),
    ...(nextStep === undefined ? {} : { nextStep }),
    ...(reportFile === undefined ? {} : { reportFile }),
    ...(reportUri === undefined ? {} : { reportUri }),
  };
}

function readCause(lines: readonly string[]): Pick<ReadMessage, "explanation" | "confidence" | "blame" | "retryable"> {
  const line = behind(lines, "Cause (");
  const end = line?.indexOf("): ") ?? -1;
  if (line === undefined || end === -1) return {};
  const [confidence = "", blame = "", again = ""] = line.slice(0, end).split("; ");
  return {
    confidence: confidence.replace(" confidence", ""),
    // Version 1.0.0 wrote the side alone, and "may pass when tried again".
    blame: blame.replace(/^side: /u, ""),
    ...(again === "" || again === notKnown ? {} : { retryable: again.includes("may pass") }),
    explanation: line.slice(end + "): ".length),
  };
}

function quotedLine(line: string): readonly QuotedLine[] {
  if (!line.startsWith("  ")) return [];
  const split = line.indexOf(": ");
  return split === -1 ? [] : [{ origin: line.slice(2, split), text: line.slice(split + 2) }];
}

function behind(lines: readonly string[], label: string): string | undefined {
  return lines.find((line) => line.startsWith(label))?.slice(label.length);
}
