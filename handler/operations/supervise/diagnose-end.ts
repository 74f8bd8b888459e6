import { readFile } from "node:fs/promises";
import type { TimelineEntry } from "../../contract/verdict-substatus.ts";
import type { DiagnoseRequest } from "../../diagnosis/diagnose.ts";
import type { DiagnosisRun } from "../../diagnosis/diagnosis-run.ts";
import type { RuleSet } from "../../diagnosis/load-rules.ts";
import { notMade } from "../../diagnosis/not-made.ts";
import { errorText, stackOf } from "../../errors/handler-error.ts";
import { compileAgain, embeddedRules, readEmbeddedRules } from "./foresight.ts";
import { reportFile } from "./report-file.ts";
import type { Run } from "./run.ts";
import type { Verdict } from "../../verdict/verdict.ts";

export interface DiagnoseEnd {
  readonly run: Run;
  readonly verdict: Verdict;
  /** rules.json of a bundle that was downloaded; undefined where the embedded one serves. */
  readonly rules: string | undefined;
}

export interface DiagnosedEnd {
  readonly verdict: Verdict;
  /** Redacted ends of the logs, for the report's bundle. */
  readonly excerpts: DiagnosisRun["excerpts"];
}

/** Adds the cause to a failed verdict. Loaded only now: a node that bootstraps never pays for it. */
export async function diagnoseEnd({ run, verdict, rules }: DiagnoseEnd): Promise<DiagnosedEnd> {
  if (verdict.end.kind !== "failed" && verdict.end.kind !== "deadline") return { verdict, excerpts: () => [] };
  // The machine's own failure is known by now: whatever becomes of its explanation, it is told.
  const made = await diagnoseNow({ run, verdict, rules }).catch((error: unknown) => {
    run.context.log.error(`The diagnosis could not be made: ${stackOf(error)}`);
    return notMade(errorText(error));
  });
  const { diagnosis, evidence, probes, machine, timeline, excerpts } = made;
  const merged = mergeTimeline(verdict.timeline, timeline, run.record.current().startedAt);
  const found = {
    timeline: merged,
    diagnosis: { diagnosis, evidence, probes, machine },
    reportFile: reportFile(run.context),
  };
  return { verdict: { ...verdict, ...found }, excerpts };
}

async function diagnoseNow({ run, verdict, rules }: DiagnoseEnd): Promise<DiagnosisRun> {
  const { host } = run.context;
  const foreseen = await run.foresight.take();
  compileAgain();
  const { diagnose } = await import("../../diagnosis/diagnose.ts");
  const ruleSet = rules === undefined && foreseen !== undefined ? foreseen.ruleSet : await readRules(run, rules);
  const begun = foreseen === undefined ? {} : { foreseen: foreseen.evidence };
  return diagnose({ host, ruleSet, texts: textsOf(verdict), ...begun });
}

/** Rules that came with a downloaded bundle and are not usable must not cost the diagnosis: the embedded ones serve. */
async function readRules(run: Run, rules: string | undefined): Promise<RuleSet> {
  const { host, log } = run.context;
  const embedded = embeddedRules(host.programFolder);
  const noted = (path: string) => (error: unknown) => {
    log.warn(`The rule catalogue ${path} cannot be used: ${errorText(error)}`);
  };
  const ownRules = rules === undefined ? undefined : await readDownloaded(rules).catch(noted(rules));
  return ownRules ?? (await readEmbeddedRules(host).catch(noted(embedded))) ?? { rules: [] };
}

async function readDownloaded(path: string): Promise<RuleSet> {
  const { loadRules } = await import("../../diagnosis/load-rules.ts");
  return loadRules(await readFile(path, "utf8"));
}

/** What the check itself printed is evidence too. */
function textsOf({ end, ownCommand }: Verdict): NonNullable<DiagnoseRequest["texts"]> {
  if (end.kind !== "failed" && end.kind !== "deadline") return [];
  const whose = ownCommand === true ? "the command" : "the check";
  return [
    { source: "command-output" as const, origin: `stdout of ${whose}`, text: end.output.stdout },
    { source: "command-output" as const, origin: `stderr of ${whose}`, text: end.output.stderr },
  ]
    .filter(({ text }) => text.trim() !== "")
    .map(({ source, origin, text }) => ({ source, origin, read: { kind: "text", text } }));
}

/** The node's own events among ours, oldest first; those before our start get negative seconds. */
function mergeTimeline(
  ours: readonly TimelineEntry[],
  nodes: DiagnosisRun["timeline"],
  startedAt: string,
): readonly TimelineEntry[] {
  const start = Date.parse(startedAt);
  const theirs = nodes.map((event) => ({ ...event, seconds: Math.round((Date.parse(event.time) - start) / 1000) }));
  return [...ours, ...theirs].toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}
