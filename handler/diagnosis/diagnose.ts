import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { ours, show, showAll, type Shown } from "../text/shown-text.ts";
import { isSystemRoot } from "../files/system-root.ts";
import { linuxEvidence } from "./evidence-linux.ts";
import { windowsEvidence } from "./evidence-windows.ts";
import { startEvidence, type StartedEvidence } from "./collect-evidence.ts";
import type { DiagnosisRun } from "./diagnosis-run.ts";
import type { Diagnosis, EvidenceSummary, ProbeResult } from "./diagnosis.ts";
import { firstBootOfThisVm } from "./first-boot.ts";
import type { EvidenceSink, EvidenceSource } from "./evidence-source.ts";
import { Excerpts } from "./excerpts.ts";
import type { RuleSet } from "./load-rules.ts";
import { readCompute, readMachineFacts } from "./machine-facts.ts";
import { createMatcher, type Matcher } from "./match.ts";
import { notMade } from "./not-made.ts";
import { probeLine } from "./probes/probe.ts";
import { runProbes, type RunProbes } from "./probes/run-probes.ts";
import { inProviderWords } from "./provider-words.ts";
import { rankFindings } from "./rank.ts";
import { withoutSystemd } from "./service-manager.ts";
import { readTimeline } from "./timeline.ts";
import { TraceSink } from "./trace-sink.ts";

export interface DiagnoseRequest {
  readonly host: Host;
  readonly ruleSet: RuleSet;
  /** Texts that the caller has already: output of a command, message of a check. Read before the node's own logs. */
  readonly texts?: readonly Pick<EvidenceSource, "source" | "also" | "origin" | "read">[];
  /** Of `foreseeDiagnosis`, a moment ago: then only the texts are new. */
  readonly foreseen?: StartedEvidence;
  /** The machine's logs as a collector laid them down; `only`: nothing else is looked for. */
  readonly copy?: { readonly sources: readonly EvidenceSource[]; readonly only: boolean };
  /** Default: only where `root` is the running machine, as copied files say nothing of this machine's network. */
  readonly probes?: boolean;
  /** Over everything; default 20 s. */
  readonly timeLimitMs?: number;
  /** Other addresses and ports of the probes, in tests. */
  readonly probeOptions?: Omit<RunProbes, "host" | "stop">;
}

const timeLimitMs = 20_000;
const probeLimitMs = 10_000;
/** Where the logs name the cause beyond doubt, probes only add to it: the verdict does not wait longer for them. */
const probeGraceMs = 800;

/** How long the parts may overrun their own limits, for example on a disk that does not answer. */
const overrunMs = 2000;

/** Collects, matches and ranks; asks the network on the way. Never throws: what keeps it from its end is told as `notMade`. */
export async function diagnose(request: DiagnoseRequest): Promise<DiagnosisRun> {
  const limitMs = request.timeLimitMs ?? timeLimitMs;
  const done = new AbortController();
  try {
    return await Promise.race([
      run(request),
      request.host.sleep(limitMs + overrunMs, done.signal).then(() => notMade(`It did not end within ${limitMs} ms`)),
    ]);
  } catch (error) {
    return notMade(errorText(error));
  } finally {
    done.abort();
  }
}

async function run(request: DiagnoseRequest): Promise<DiagnosisRun> {
  const { host, ruleSet } = request;
  const live = isSystemRoot(host.root);
  const platform = platformOf(host, live);
  const started = request.foreseen ?? start(request, platform, live);
  const stop = new AbortController();
  const probing = (request.probes ?? live) ? askNetwork(request, stop.signal) : Promise.resolve([]);
  const compute = readCompute(host, live);
  const excerpts = new Excerpts();
  const matcher = createMatcher(ruleSet, {
    platform,
    onBytes: ({ source, origin }, bytes) => {
      // Our own probes have a part of the report to themselves.
      if (source !== "probe") excerpts.keep(origin, bytes);
    },
  });
  const traces = new TraceSink();
  const evidence = await started.read(all([traces, matcher]), request.texts ?? []);
  const manager = live && platform === "linux" ? withoutSystemd(host.root) : undefined;
  const missing = manager === undefined ? [] : [manager];
  const ofLogs = rankFindings(matcher.finish());
  const machine = readMachineFacts(host, { live, traces: traces.traces(), compute });
  const limit = new AbortController();
  void host.sleep(isCertain(ofLogs) ? probeGraceMs : probeLimitMs, limit.signal).then(() => {
    stop.abort();
  });
  const probes = await probing;
  limit.abort();
  feedProbes(matcher, probes);
  return {
    diagnosis: inProviderWords(
      withFailedProbes(probes.length === 0 ? ofLogs : rankFindings(matcher.finish()), probes),
      traces.traces(),
    ),
    evidence: showAll([...withoutAbsentCopies(evidence, request), ...missing]),
    probes,
    traces: traces.traces(),
    machine: showAll(await machine),
    timeline: await readTimeline(host.root),
    excerpts: () => excerpts.excerpts(),
  };
}

function start(request: DiagnoseRequest, platform: "linux" | "windows", live: boolean): StartedEvidence {
  const { host } = request;
  return startEvidence({
    host,
    sources: sourcesOf(request, evidenceOf[platform]),
    live,
    timeLimitMs: request.timeLimitMs ?? timeLimitMs,
    ...(live && { firstBoot: firstBootOfThisVm(host).catch(() => undefined) }),
  });
}

/** Begins what a diagnosis of this machine waits for: its commands, and the rules made ready for its logs. */
export function foreseeDiagnosis(host: Host, ruleSet: RuleSet): StartedEvidence {
  const live = isSystemRoot(host.root);
  const platform = platformOf(host, live);
  const started = start({ host, ruleSet }, platform, live);
  createMatcher(ruleSet, { platform });
  return started;
}

const evidenceOf = { linux: linuxEvidence, windows: windowsEvidence } as const;

const windowsMarks = [
  "WindowsAzure",
  "Program Files",
  "cloudbase-init.log",
  "hyperv-operation.log",
  "CustomDataSetupScript.log",
];

/** Logs that were copied from a Windows node may be read on Linux. */
function platformOf({ root, platform }: Host, live: boolean): "linux" | "windows" {
  if (live) return platform.name;
  return windowsMarks.some((name) => existsSync(join(root, name))) ? "windows" : platform.name;
}

async function askNetwork(
  { host, probeOptions }: DiagnoseRequest,
  stop: AbortSignal,
): Promise<readonly Shown<ProbeResult>[]> {
  try {
    return showAll(await runProbes({ host, ...probeOptions, stop }));
  } catch {
    return [];
  }
}

function sourcesOf({ copy }: DiagnoseRequest, own: readonly EvidenceSource[]): readonly EvidenceSource[] {
  return [...(copy?.sources ?? []), ...(copy?.only === true ? [] : own)];
}

/** A collector's file that is not there only says that another collector was at work. */
function withoutAbsentCopies(
  evidence: readonly EvidenceSummary[],
  { copy }: DiagnoseRequest,
): readonly EvidenceSummary[] {
  const origins = new Set(copy?.sources.map(({ origin }) => origin));
  return evidence.filter(({ origin, state }) => state !== "not-available" || !origins.has(origin));
}

function all(sinks: readonly EvidenceSink[]): EvidenceSink {
  return {
    feed(origin, chunk) {
      for (const sink of sinks) sink.feed(origin, chunk);
    },
    endSource() {
      for (const sink of sinks) sink.endSource();
    },
  };
}

function isCertain(diagnosis: Shown<Diagnosis>): boolean {
  return diagnosis.kind === "classified" && diagnosis.primary.confidence === "high";
}

function feedProbes(matcher: Matcher, probes: readonly ProbeResult[]): void {
  const lines = probes.filter((probe) => probe.state !== "not-run").map(probeLine);
  if (lines.length > 0)
    matcher.feed({ source: "probe", origin: "probes" }, Buffer.from(`${lines.join("\n")}\n`, "utf8"));
  matcher.endSource();
}

const mostProbeLines = 3;

/** Where no rule applies, failed probes are the next best thing to tell; in front, as the last log error is quoted first. */
function withFailedProbes(diagnosis: Shown<Diagnosis>, probes: readonly Shown<ProbeResult>[]): Shown<Diagnosis> {
  if (diagnosis.kind !== "unclassified") return diagnosis;
  const failed = probes.filter((probe) => probe.state === "failed").slice(0, mostProbeLines);
  const lines = failed.map(
    (probe, index) =>
      ({ source: "probe", origin: ours`probes`, line: index + 1, text: show(probeLine(probe)) }) as const,
  );
  return { ...diagnosis, decisive: [...lines, ...diagnosis.decisive] };
}
