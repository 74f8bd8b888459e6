import type { RuleSet } from "../diagnosis/load-rules.ts";
import { answer } from "./answer.ts";
import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import type { Answer, ForeignText, FoundStatus } from "./explanation.ts";
import { machineSituations } from "./machine-situations.ts";
import { objectSituations } from "./object-situations.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { readForeign, type ForeignFailure } from "./read-foreign.ts";
import { readNoAnswer } from "./read-no-answer.ts";
import { readPlainSituation } from "./read-plain-situation.ts";
import { quoted, type FoundSituation, type SituationWords } from "./situation.ts";

/**
 * The answer for a found status. Our own verdict leads; then what the rules know of the words of others, an error code of Azure, what can
 * be read in such words without a rule, and last the situation of the machine or object.
 */
export function explainFound(found: FoundStatus, ruleSet: RuleSet | undefined): Answer {
  const plain = answer(withOurWords(found));
  if (found.known !== undefined) return { ...plain, ...found.known };
  if (plain.outcome === "waiting") return { ...plain, nextStep: `${nextOfWait(found)}.` };
  return plain.outcome === "unknown" ? explainOthers(found, plain, ruleSet) : plain;
}

/** Our first line counts wherever it stands: our program may have been run by another extension, or by Run Command. */
function withOurWords(found: FoundStatus): FoundStatus {
  const { message, foreign } = found;
  const isWithin = findVerdictText(message) === undefined && findVerdictText(foreign?.text ?? "") !== undefined;
  return foreign !== undefined && isWithin ? { ...found, message: foreign.text } : found;
}

function explainOthers(found: FoundStatus, plain: Answer, ruleSet: RuleSet | undefined): Answer {
  const spoken = found.foreign ?? { speaker: found.from, text: found.message };
  const missing = readNoAnswer(spoken.text);
  if (missing !== undefined)
    return bySituation(plain, { ...missing, subject: { ...found.situation?.subject, ...missing.subject } });
  const said = readPlainSituation(spoken.text);
  if (said?.kind === "extension-cannot-start") return bySituation(plain, withSubject(said, found));
  return byWords({ found, plain, spoken, said }, ruleSet);
}

interface Spoken {
  readonly found: FoundStatus;
  readonly plain: Answer;
  readonly spoken: ForeignText;
  readonly said: FoundSituation | undefined;
}

/** Rules before a code of Azure before what the words say of the machine. */
function byWords({ found, plain, spoken, said }: Spoken, ruleSet: RuleSet | undefined): Answer {
  const reading = ruleSet === undefined || spoken.text === "" ? undefined : readForeign(spoken, ruleSet);
  const isCode = findAzureError(spoken.text) !== undefined;
  if (reading?.kind === "failure" && (reading.isRule || !isCode)) return byReading(plain, reading, spoken);
  if (isCode) return { ...answer({ ...found, message: spoken.text }), notes: plain.notes };
  const ofFound = reading?.kind === "well" ? endingWell(found) : found;
  const situation = said === undefined ? situationOf(ofFound, spoken) : withSubject(said, found);
  return situation === undefined ? answer({ ...found, message: spoken.text }) : bySituation(plain, situation);
}

/** What a command printed may be a log that ends in success: then that is what is told of it. */
function endingWell(found: FoundStatus): FoundStatus {
  const { situation } = found;
  if (situation === undefined || !ofCommand.has(situation.kind)) return found;
  return { ...found, situation: { kind: "command-log-ends-well", subject: situation.subject } };
}

const ofCommand: ReadonlySet<FoundSituation["kind"]> = new Set([
  "command-told-nothing",
  "command-failed",
  "command-log-ends-well",
]);

/** The place knows the machine better than the text. */
function withSubject(situation: FoundSituation, found: FoundStatus): FoundSituation {
  const named = found.machine === undefined ? {} : { machine: found.machine };
  return { ...situation, subject: { ...situation.subject, ...named, ...found.situation?.subject } };
}

/** A wait is over by itself, unless nobody reports any more. */
function nextOfWait({ situation }: FoundStatus): string {
  return situation === undefined
    ? "Wait and ask again: the verdict comes when the bootstrap ends, at the latest when the deadline is reached"
    : wordsOf(situation).nextStep;
}

function byReading(plain: Answer, { primary, others }: ForeignFailure, { speaker }: ForeignText): Answer {
  const { reason, summary, explanation, nextStep, retryable, blame, confidence, evidence } = primary;
  return {
    ...plain,
    outcome: "failed",
    reason,
    summary: `${summary}.`,
    explanation,
    nextStep: `${nextStep}.`,
    ...(retryable !== undefined && { retryable }),
    blame,
    confidence,
    evidence: evidence.map(({ origin, text }) => ({ origin, text })),
    otherFindings: others.filter(({ role }) => role === "cause"),
    notes: [`Read from words that are not the extension's (${speaker}); it has told no verdict.`, ...plain.notes],
  };
}

function situationOf(
  { situation, foreign, from }: FoundStatus,
  { speaker, text }: ForeignText,
): FoundSituation | undefined {
  const subject = situation?.subject ?? {};
  // That a command failed, or what its line names, says nothing of the bootstrap.
  if (situation !== undefined && ofCommand.has(situation.kind)) return situation;
  if (isPlainScriptFailure(text) && /CAPZ\.(?:Linux|Windows)\.Bootstrapping/u.test(`${from} ${speaker} ${text}`))
    return {
      kind: "old-extension-failed",
      subject: { ...subject, windows: text.includes("CAPZ.Windows.") || subject.windows === true },
    };
  if (isPlainScriptFailure(text)) return undefined;
  if (foreign === undefined) return situation;
  return { kind: "extension-failed", subject, detail: `${speaker}${quoted(firstLineOf(text))}` };
}

const longestQuote = 160;

function firstLineOf(text: string): string {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  return line.length > longestQuote ? `${line.slice(0, longestQuote - 1)}…` : line;
}

function bySituation(plain: Answer, found: FoundSituation): Answer {
  const { outcome, summary, explanation, nextStep } = wordsOf(found);
  const { machine = found.subject.machine } = plain;
  return {
    ...plain,
    ...(machine === undefined ? {} : { machine }),
    outcome,
    situation: found.kind,
    summary,
    nextStep: `${nextStep}.`,
    ...(explanation === undefined ? {} : { explanation }),
  };
}

const words: Readonly<Record<FoundSituation["kind"], (found: FoundSituation) => SituationWords>> = {
  ...machineSituations,
  ...objectSituations,
};

function wordsOf(found: FoundSituation): SituationWords {
  return words[found.kind](found);
}
