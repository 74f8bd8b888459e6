import { dirname, join } from "node:path";
import { lookAtSentinel } from "./look-at-sentinel.ts";
import type { CheckOutcome, CheckProgress, CheckReport } from "../../verdict/outcome.ts";
import type { Looker, LookerRequest, LookerAnswer } from "../looker.ts";
import { prepareOutputFiles } from "../running/output-files.ts";
import { createScriptLooker } from "./script-looker.ts";
import { createWakeUp, type WakeUp } from "./wake-up.ts";
import { watchLogs, type LogsWatch } from "./watch-logs.ts";
import { watchFolders, type FoldersWatch } from "./watch-folders.ts";

/** One look; far above any honest look at a machine, far below the deadline. */
const runLimitMs = 60_000;
/** After the deadline the check may look once more, so that an event that was missed makes no false failure. */
const lastLookMs = 5000;
/** While nothing changes the check looks less and less often, down to this pace, or a slower one that it asks for. */
const idleRunMs = 30_000;

export interface UntilVerdictRequest extends LookerRequest {
  /** Called when the report has changed; must not block. */
  onProgress(progress: CheckProgress): void;
  /** For tests: limit of one run. */
  readonly runLimitMs?: number;
}

/** Looks again and again, never two at once, until it has a verdict, the deadline is reached or we are stopped. */
export async function lookUntilVerdict(request: UntilVerdictRequest): Promise<CheckOutcome> {
  const { host } = request;
  const looker = await createLooker(request);
  const wakeUp = createWakeUp(host);
  const paths = host.platform.paths(host.root);
  const wake = (urgent: boolean) => {
    looker.forget(urgent ? "all" : "settled");
    wakeUp.wake(urgent);
  };
  const folders = watchFolders([...paths.watch, ...watchedBy(request)], (path) => {
    wake(path === paths.sentinel);
  });
  const logs = watchLogs(host, paths.logs ?? [], () => {
    wake(false);
  });
  const endLooks = lookAtSentinel(
    paths,
    () => {
      wake(true);
    },
    () => folders.watches(dirname(paths.sentinel)),
  );
  try {
    const outcome = await runUntilVerdict(request, { looker, wakeUp, folders, logs });
    if (looker.mayHaveLeftOvers()) await endLeftOvers(request, outcome);
    return outcome;
  } finally {
    endLooks();
    logs.close();
    folders.close();
  }
}

/** No process of the check may outlive its verdict. To find them every process of the machine is read, so only where there may be one. */
async function endLeftOvers({ host, marker }: UntilVerdictRequest, outcome: CheckOutcome): Promise<void> {
  if (outcome.kind !== "passed") await host.platform.killTree({ marker, graceMs: 0 }, host.run);
  else await host.platform.endLeftOvers?.(marker);
}

/** Where the check itself knows that news come. */
function watchedBy({ check, host }: UntilVerdictRequest): readonly string[] {
  return check.watch.map((folder) => join(host.root, folder));
}

/** The kind of looker that the bundle's protocol asks for. */
export async function createLooker(request: LookerRequest): Promise<Looker> {
  const { entry } = request.check;
  switch (entry.kind) {
    case "script":
      return createScriptLooker(request, await prepareOutputFiles(request.workFolder), entry.path);
    case "program": {
      const { createProgramLooker } = await import("../program/program-looker.ts");
      return createProgramLooker(request, entry.path);
    }
  }
}

interface Loop {
  readonly looker: Looker;
  readonly wakeUp: WakeUp;
  readonly folders: FoldersWatch;
  readonly logs: LogsWatch;
}

async function runUntilVerdict(request: UntilVerdictRequest, loop: Loop): Promise<CheckOutcome> {
  const { deadline } = request;
  const tell = reportChanges(request);
  const stop = AbortSignal.any([deadline.signal, request.signal]);
  let idleRuns = 0;
  for (;;) {
    const remaining = deadline.remainingMs();
    loop.wakeUp.clear();
    const limit = Math.min(request.runLimitMs ?? runLimitMs, remaining + lastLookMs);
    const result = await loop.looker.look(limit);
    if (result.kind !== "not-yet") return await toOutcome(result, loop.looker, tell.last());
    tell.tell(result.report);
    if (remaining === 0 || (deadline.remainingMs() === 0 && result.stillRunning.length > 0)) {
      return await deadlineOutcome(result, loop.looker);
    }
    const reason = await loop.wakeUp.wait(
      Math.min(idleDelay(request, result.report, idleRuns), result.againMs ?? Infinity),
      stop,
    );
    if (request.signal.aborted) return { kind: "interrupted", report: tell.last() };
    const changed = renewWatches(loop);
    idleRuns = reason === "woken" || changed ? 0 : idleRuns + (result.againMs === undefined ? 1 : 0);
  }
}

/** A change that no event told of (network file system, dead watch) keeps the pace high, too. */
function renewWatches({ folders, logs, looker }: Loop): boolean {
  const changed = folders.look();
  if (changed) looker.forget("settled");
  logs.renew();
  return changed;
}

/** Starts at the pace the check asks for (else the poll's) and slows down: watches bring the news, and a long wait must cost next to nothing. */
function idleDelay(request: UntilVerdictRequest, report: CheckReport, idleRuns: number): number {
  const first = (report.nextCheckSeconds ?? request.settings.pollSeconds) * 1000;
  return Math.max(first, Math.min(first * 1.5 ** idleRuns, idleRunMs));
}

async function toOutcome(
  result: Exclude<LookerAnswer, { kind: "not-yet" }>,
  looker: Looker,
  last: CheckReport,
): Promise<CheckOutcome> {
  switch (result.kind) {
    case "passed":
    case "failed":
      return { ...result, output: await looker.tails() };
    case "interrupted":
      return { kind: "interrupted", report: last };
  }
}

async function deadlineOutcome(
  result: Extract<LookerAnswer, { kind: "not-yet" }>,
  looker: Looker,
): Promise<CheckOutcome> {
  // The check itself knows best what the node was busy with: fact "running", as "kubeadm (74 s), curl (3 s)".
  const told = (result.report.facts["running"] ?? "").split(/,\s*/u).map((text) => text.trim());
  return {
    kind: "deadline",
    report: result.report,
    output: await looker.tails(),
    stillRunning: [...told.filter((text) => text !== ""), ...result.stillRunning],
    ...(result.record === undefined ? {} : { record: result.record }),
  };
}

function reportChanges(request: UntilVerdictRequest) {
  const { deadline } = request;
  let last: CheckReport = { facts: {} };
  let told = "";
  return {
    last: () => last,
    tell(report: CheckReport) {
      last = report;
      const text = JSON.stringify(report);
      if (text === told) return;
      told = text;
      request.onProgress({ report, elapsedMs: deadline.elapsedMs(), remainingMs: deadline.remainingMs() });
    },
  };
}
