import type { VerdictOutcome } from "../../handler/contract/verdict-substatus.ts";
import { answer } from "../../handler/explain/answer.ts";
import type { Answer, FoundStatus } from "../../handler/explain/explanation.ts";
import { findVerdictText } from "../../handler/explain/find-verdict-text.ts";
import { describeReason, openReasons } from "../../handler/reasons/reasons.ts";
import { cutText } from "../../handler/text/cut-text.ts";
import { showLine } from "../../handler/text/shown-text.ts";
import { boundAccount } from "./bound-account.ts";
import { bounds, longestElapsed, type Account, type Outcome, type Source } from "./account.ts";
import { asMoment } from "./moment.ts";
import { boundReason } from "./reasons.ts";

export interface Told {
  readonly source: Source;
  readonly found: FoundStatus;
  /** Used where the text itself has no time. RFC 3339, UTC. */
  readonly time: string;
  readonly vmId?: string | undefined;
  readonly vmCreated?: string | undefined;
}

/** The account of a text that `explain` understands. A text without a verdict gives the outcome `unknown`. */
export function makeAccount({ source, found, time, vmId, vmCreated }: Told): Account {
  const said = answer(found);
  const outcome = outcomeOf(said.outcome);
  const machine = vmId?.toLowerCase();
  return boundAccount({
    source,
    outcome,
    reason: boundReason(reasonOf(said)),
    time: asMoment(said.time) ?? time,
    firstLine: shown(firstLineOf(found.message, said), bounds.firstLine),
    ...optional("stage", said.stage, bounds.word),
    ...optional("mode", said.mode, bounds.word),
    ...optional("blame", said.blame, bounds.word),
    ...optional("confidence", said.confidence, bounds.word),
    ...retryability(said, outcome),
    ...optional("nextStep", said.nextStep, bounds.nextStep),
    ...optional("reportFile", said.reportFile, bounds.address),
    ...optional("reportUri", plainAddress(said.reportUri), bounds.address),
    ...optional("vmId", machine ?? said.vmId?.toLowerCase(), bounds.word),
    ...(said.sequence === undefined || !isCount(said.sequence) ? {} : { sequence: said.sequence }),
    ...(said.elapsedSeconds === undefined || !isCount(said.elapsedSeconds, longestElapsed)
      ? {}
      : { elapsedSeconds: said.elapsedSeconds }),
    ...(vmCreated === undefined ? {} : { vmCreated }),
    evidence: said.evidence.slice(0, bounds.lines).map(({ origin, line, text }) => ({
      origin: shown(origin, bounds.word),
      ...(line === undefined || !Number.isSafeInteger(line) ? {} : { line }),
      text: shown(text, bounds.line),
    })),
    timeline: said.timeline.slice(-bounds.entries).map(({ time: at, seconds, stage, event }) => ({
      time: shown(at, bounds.word),
      seconds: Math.round(seconds),
      ...optional("stage", stage, bounds.word),
      event: shown(event, bounds.line),
    })),
  });
}

/** What the extension said; without it, what the table of reasons knows of every failure of this reason. */
function retryability({ retryable, reason }: Answer, outcome: Outcome): Pick<Account, "retryable"> {
  if (retryable !== undefined) return { retryable };
  const isFailed = outcome === "failed" || outcome === "deadline";
  if (!isFailed || reason === undefined || openReasons.has(reason)) return {};
  const row = describeReason(reason);
  return row === undefined ? {} : { retryable: row.retryable };
}

/**
 * Where the report was uploaded, without what gives access to it: this handler sends no query and no password, but a node may send anything,
 * and a path that is longer than the bound would lead elsewhere when it is cut.
 */
function plainAddress(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url?.protocol !== "https:") return undefined;
  const plain = `${url.origin}${url.pathname}`;
  return plain.length <= bounds.address ? plain : undefined;
}

function isCount(value: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= most;
}

/** The verdict of `explain` in the words of the management side: what says nothing of the node is unknown. */
function outcomeOf(outcome: VerdictOutcome | "unknown"): Outcome {
  switch (outcome) {
    case "interrupted":
    case "not-checked":
    case "unknown":
      return "unknown";
    case "waiting":
    case "failed":
    case "deadline":
    case "bootstrapped":
      return outcome;
  }
}

function reasonOf({ outcome, reason }: Answer): string {
  if (outcome === "waiting") return "BootstrapInProgress";
  if (outcome === "bootstrapped") return "Bootstrapped";
  if (reason !== undefined && reason !== "") return reason;
  return outcome === "interrupted" ? "Interrupted" : "NoAnswer";
}

/** The line that the node has sent; without it, what its substatus says in two sentences. */
function firstLineOf(message: string, { summary, nextStep }: Answer): string {
  const line = findVerdictText(message)?.split("\n", 1)[0];
  if (line !== undefined) return line;
  return nextStep === undefined ? summary : `${summary} Next: ${nextStep}`;
}

/** Text from a node, fit to be shown: cleaned, redacted, then cut. */
export function shown(text: string, most: number): string {
  return cutText(showLine(text), most);
}

function optional<Key extends string>(
  key: Key,
  text: string | undefined,
  most: number,
): Partial<Readonly<Record<Key, string>>> {
  const part: Partial<Record<Key, string>> = {};
  if (text !== undefined && text !== "") part[key] = shown(text, most);
  return part;
}
