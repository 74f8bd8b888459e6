import { withoutAsides } from "./asides.ts";
import { show, showCatalogueText, type Shown } from "../text/shown-text.ts";
import type { Achieved, Applied, Failure } from "./applied.ts";
import type { CompiledRule } from "./compile-rules.ts";
import type { Diagnosis, FailedStep, Finding, Stage } from "./diagnosis.ts";
import { decisiveLines, moreTelling } from "./error-lines.ts";
import { explains, keepsDown } from "./explains.ts";
import { isGotOver } from "./got-over.ts";
import { withoutStepsOf } from "./steps-of-reasons.ts";
import { isRecovered, isSettled, wasStartedAgain } from "./recovery.ts";
import type { Matches } from "./match.ts";
import type { LineEvent } from "./line-event.ts";
import { eventsOf, firstAndLast } from "./matched-events.ts";
import { joinSameCause, readBeside } from "./read-beside.ts";
import { quoteEvents } from "./quote-events.ts";
import { stepOf } from "./reading/read-lines.ts";
import { withStatements } from "./said-in-full.ts";
import { isRetryKnown, withWordsOfScript } from "./script-words.ts";
import { fillSummary } from "./summary.ts";
import { lineTime, secondsBetween } from "./timestamp.ts";

const mostOthers = 12;
const mostDecisive = 6;

/** What the lines mean: the root cause first, its symptoms and earlier failures behind it. */
export function rankFindings(matches: Matches): Shown<Diagnosis> {
  const achieved = matches.rules.flatMap((compiled) => toAchieved(compiled, matches));
  const known = matches.rules.flatMap((compiled) => toApplied(compiled, matches));
  const over = new Set(known.filter((one) => isRecovered(one) || isGotOver(one, matches)));
  const applied = joinSameCause(known, readBeside(known, matches, achieved.length === 0), over);
  const standing = applied.filter(
    (one) =>
      !isRecovered(one) &&
      !isSettled(one.rule, one.events, achieved) &&
      !wasStartedAgain(one, matches.errorLines) &&
      !isGotOver(one, matches),
  );
  const past = applied.filter((one) => !standing.includes(one));
  const open = withoutAsides(withoutStepsOf(past, standing, matches), matches.errorLines);
  const recovered = applied.filter((one) => !open.includes(one));
  const ranked = order(open, matches);
  const decisive = decisiveLines(matches.errorLines, mostDecisive);
  const remarks = recovered.map((one) => toFinding(one, "remark", matches));
  const [primary, ...rest] = ranked;
  if (primary === undefined) {
    const healthy = achieved.some((one) => one.rule.final);
    const others = remarks.slice(0, mostOthers);
    if (healthy && !isRevoked(achieved, matches)) return { kind: "healthy", others };
    const step = failedStep(matches);
    return { kind: "unclassified", others, decisive, ...(step !== undefined && { step }) };
  }
  const others = [...rest, ...remarks].slice(0, mostOthers);
  return { kind: "classified", primary: withWordsOfScript(primary, matches), others, decisive };
}

/** The programs of a node: when one of them ends after a sign of success, the sign no longer holds. */
const nodePrograms: ReadonlySet<string> = new Set(["kubelet", "kubeadm", "containerd", "crio", "k3s", "rke2", "k0s"]);

function isRevoked(achieved: readonly Achieved[], { errorLines }: Matches): boolean {
  const signs = achieved.filter((one) => one.rule.final).flatMap((one) => one.events);
  return errorLines.some(
    (error) =>
      error.weight === 3 &&
      error.line > error.lastStart &&
      nodePrograms.has(stepOf(error, [error]).program ?? "") &&
      signs.some((sign) => sign.originIndex === error.originIndex) &&
      signs.every((sign) => sign.originIndex !== error.originIndex || sign.line < error.line),
  );
}

function failedStep({ errorLines, inits }: Matches): Shown<FailedStep> | undefined {
  const [line] = errorLines.toSorted(moreTelling);
  if (line === undefined) return undefined;
  const { program, stage } = stepOf(line, errorLines);
  const { source, origin, text } = line;
  const shown = { source, origin: show(origin), line: line.fileLine, text };
  return {
    stage: stageOf(stage, inits.has(line.originIndex)),
    line: shown,
    ...(program !== undefined && { program: show(program) }),
  };
}

function matched(pattern: number, matches: Matches): boolean {
  return (matches.byPattern[pattern] ?? []).length > 0;
}

function conditionsHold({ any, all, none }: CompiledRule, matches: Matches): boolean {
  if (!any.some((pattern) => matched(pattern, matches))) return false;
  return all.every((pattern) => matched(pattern, matches)) && !none.some((pattern) => matched(pattern, matches));
}

function toAchieved(compiled: CompiledRule, matches: Matches): readonly Achieved[] {
  const { rule } = compiled;
  if (rule.kind !== "success" || !conditionsHold(compiled, matches)) return [];
  const events = eventsOf([...compiled.any, ...compiled.all], matches);
  const holding = events.filter((event) => !isRestart(event, matches));
  return holding.length === 0 ? [] : [{ rule, events: holding }];
}

/** A start by systemd this soon after an end, with nothing behind it, is the next round of the same failure. */
const restartSeconds = 8;
const restartLines = 3;

function isRestart({ text, time, originIndex, line }: LineEvent, { errorLines }: Matches): boolean {
  if (time === undefined || !/systemd\[\d{1,8}\]: Started /u.test(text)) return false;
  return errorLines.some((error) => {
    if (error.originIndex !== originIndex || error.weight !== 3 || error.line > line) return false;
    const ended = lineTime(error.whole);
    return (
      ended !== undefined && secondsBetween(ended, time) <= restartSeconds && line >= error.logLines - restartLines
    );
  });
}

function toApplied(compiled: CompiledRule, matches: Matches): readonly Applied[] {
  const { rule } = compiled;
  if (rule.kind !== "failure" || !conditionsHold(compiled, matches)) return [];
  if (!frequentEnough(compiled, rule, matches)) return [];
  const events = eventsOf([...compiled.any, ...compiled.all], matches);
  if (rule.differ !== undefined && !groupsDiffer(events, rule.differ)) return [];
  const layer = rule.specificity > vague ? 3 : 1;
  return [{ rule, events, recoveries: eventsOf(compiled.recoveredBy, matches), layer }];
}

function groupsDiffer(events: readonly LineEvent[], [one, other]: readonly [string, string]): boolean {
  const valuesOf = (name: string): ReadonlySet<string> =>
    new Set(events.flatMap(({ groups }) => (groups[name] === undefined ? [] : [groups[name]])));
  const left = valuesOf(one);
  const right = valuesOf(other);
  return left.size > 0 && right.size > 0 && ![...left].some((value) => right.has(value));
}

/** Some errors are normal once or for a minute of every start. */
function frequentEnough({ any }: CompiledRule, rule: Failure, matches: Matches): boolean {
  const found = any.flatMap((pattern) => matches.byPattern[pattern] ?? []);
  const count = found.reduce((sum, one) => sum + one.count, 0);
  if (count < (rule.minCount ?? 1)) return false;
  if (rule.minSeconds === undefined) return true;
  const times = found.flatMap(firstAndLast).flatMap((event) => (event.time === undefined ? [] : [event.time]));
  const [first] = times;
  if (first === undefined) return true;
  const offsets = times.map((time) => secondsBetween(first, time));
  return Math.max(...offsets) - Math.min(...offsets) >= rule.minSeconds;
}

/** Causes in order, then what they explain, then what belongs to an earlier attempt. */
function order(open: readonly Applied[], matches: Matches): readonly Shown<Finding>[] {
  const earlier = open.filter((one) => isOfEarlierAttempt(one, matches));
  const present = earlier.length < open.length ? open.filter((one) => !earlier.includes(one)) : open;
  const past = present === open ? [] : earlier;
  const symptoms = present.filter((one) => present.some((other) => explains(other, one) || keepsDown(other, one)));
  const causes = present.filter((one) => !symptoms.includes(one));
  const byScore = (list: readonly Applied[]): readonly Applied[] =>
    list.toSorted((a, b) => b.layer - a.layer || score(b, matches) - score(a, matches) || firstLine(a) - firstLine(b));
  const [root, ...further] = byScore(causes);
  return [
    ...(root === undefined ? [] : [toFinding(root, "cause", matches)]),
    ...further.map((one) => toFinding(one, isVagueBeside(one, root) ? "symptom" : "cause", matches)),
    ...byScore(symptoms).map((one) => toFinding(one, "symptom", matches)),
    ...byScore(past).map((one) => toFinding(one, "remark", matches)),
  ];
}

/** Rules up to here only say that a step failed: beside a finding that says why, they name its effect. */
const vague = 30;

function isVagueBeside(one: Applied, root: Applied | undefined): boolean {
  return root !== undefined && one.rule.specificity <= vague && root.rule.specificity > vague;
}

function isOfEarlierAttempt({ rule, events }: Applied, { attempts }: Matches): boolean {
  if (!rule.stage.startsWith("kubeadm-")) return false;
  return events.every((event) =>
    attempts.some((attempt) => attempt.originIndex === event.originIndex && event.line < attempt.line),
  );
}

const confidenceScore = { high: 6, medium: 3, low: 0 } as const;
/** Lines below a program's closing error in which it explains itself. */
const verdictLines = 14;
const verdictBonus = 15;

function score({ rule, events }: Applied, { errorLines }: Matches): number {
  const inVerdict = events.some((event) =>
    errorLines.some(
      (error) =>
        error.weight === 3 &&
        error.originIndex === event.originIndex &&
        event.line >= error.line &&
        event.line <= error.line + verdictLines,
    ),
  );
  return rule.specificity + confidenceScore[rule.confidence] + (inVerdict ? verdictBonus : 0);
}

function firstLine({ events }: Applied): number {
  return Math.min(...events.map((event) => event.line));
}

function toFinding(applied: Applied, role: Finding["role"], { inits, errorLines }: Matches): Shown<Finding> {
  const { rule, events } = applied;
  const newest = events.at(-1);
  return {
    ruleId: showCatalogueText(rule.id),
    reason: showCatalogueText(rule.reason),
    cause: showCatalogueText(rule.cause),
    stage: stageOf(rule.stage, newest !== undefined && inits.has(newest.originIndex)),
    title: showCatalogueText(rule.title),
    summary: fillSummary(rule.summary, withStatements(rule.id, newest === undefined ? events : [newest, ...events])),
    explanation: showCatalogueText(rule.explanation),
    nextStep: showCatalogueText(rule.nextStep),
    references: rule.references.map(showCatalogueText),
    ...(isRetryKnown(applied) && { retryable: rule.retryable }),
    blame: rule.blame,
    confidence: rule.confidence,
    evidence: quoteEvents(events, errorLines),
    role,
  };
}

/** Most rules of the join hold for init as well; the log tells which of the two it was. */
function stageOf(stage: Stage, isInit: boolean): Stage {
  return stage === "kubeadm-join" && isInit ? "kubeadm-init" : stage;
}
