import { readFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import type { Diagnosis, SourceId } from "../../handler/diagnosis/diagnosis.ts";
import { sourceIds } from "../../handler/diagnosis/diagnosis.ts";
import { loadRules, type RuleSet } from "../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../handler/diagnosis/match.ts";
import { rankFindings } from "../../handler/diagnosis/rank.ts";
import { buildRules } from "./build-rules.ts";

const help = `npm run evaluate -- FOLDER [--json]

Runs the rule engine on every log of a labelled folder (cases.jsonl and cases/ID.log), without network or probes.
A case has: id, cause, also (other acceptable causes), log_kind, platform (default linux).

Answer of a case: the cause of the finding named first, or "none" when the diagnosis is healthy or unclassified.
strict           share of all cases whose answer is the case's cause ("none" is right for cause none)
lenient          share of all cases whose answer is the case's cause or stands in also
false-positives  F/N: of the N cases with cause none, F for which a cause is named
unclassified     cases with a cause for which no cause is named
`;

const caseSchema = v.looseObject({
  id: v.string(),
  cause: v.string(),
  also: v.optional(v.array(v.string()), []),
  log_kind: v.optional(v.string(), "mixed"),
  platform: v.optional(v.string(), "linux"),
});
type Case = v.InferOutput<typeof caseSchema>;

/** What the collectors would file such a log under; a kind that is not listed may hold anything. */
const sourcesOfKind = new Map<string, readonly SourceId[]>([
  ["kubeadm", ["cloud-init-output", "kubeadm", "command-output", "kubelet", "runtime", "system"]],
  ["kubelet", ["kubelet", "system", "bootstrap-unit", "runtime", "units"]],
  ["containerd", ["runtime", "system", "kubelet"]],
  ["cloud-init", ["cloud-init", "cloud-init-output", "cloud-init-status", "system", "command-output"]],
  ["cloudbase-init", ["cloudbase-init", "command-output", "windows-events"]],
  ["ignition", ["ignition", "system", "kernel"]],
]);

interface Result {
  readonly id: string;
  readonly cause: string;
  readonly also: readonly string[];
  readonly answer: string;
  readonly kind: Diagnosis["kind"];
  readonly rule?: string;
  readonly strict: boolean;
  readonly lenient: boolean;
  readonly others: readonly string[];
}

async function main(options: readonly string[]): Promise<void> {
  const folder = options.find((option) => !option.startsWith("-"));
  if (folder === undefined || options.includes("--help")) {
    process.stdout.write(help);
    process.exitCode = folder === undefined && !options.includes("--help") ? 2 : 0;
    return;
  }
  const results = await evaluateFolder(folder);
  if (options.includes("--json")) for (const result of results) print(JSON.stringify(result));
  else printConfusion(results);
  print(summaryLine(results));
}

export async function evaluateFolder(folder: string): Promise<readonly Result[]> {
  const ruleSet = loadRules(await buildRules());
  const lines = (await readFile(path.join(folder, "cases.jsonl"), "utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "");
  return Promise.all(lines.map(async (line) => evaluateCase(v.parse(caseSchema, JSON.parse(line)), folder, ruleSet)));
}

async function evaluateCase(one: Case, folder: string, ruleSet: RuleSet): Promise<Result> {
  const log = await readFile(path.join(folder, "cases", `${one.id}.log`));
  const matcher = createMatcher(ruleSet, { platform: one.platform === "windows" ? "windows" : "linux" });
  const [source = "cloud-init-output", ...also] = sourcesOfKind.get(one.log_kind) ?? sourceIds;
  matcher.feed({ source, also, origin: `${one.id}.log` }, log);
  const diagnosis = rankFindings(matcher.finish(), ruleSet);
  const primary = diagnosis.kind === "classified" ? diagnosis.primary : undefined;
  const answer = primary?.cause ?? "none";
  return {
    id: one.id,
    cause: one.cause,
    also: one.also,
    answer,
    kind: diagnosis.kind,
    ...(primary !== undefined && { rule: primary.ruleId }),
    strict: answer === one.cause,
    lenient: answer === one.cause || one.also.includes(answer),
    others: diagnosis.others.map((other) => `${other.ruleId} (${other.role})`),
  };
}

function printConfusion(results: readonly Result[]): void {
  const wrong = results.filter((result) => !result.strict);
  print(`${"case".padEnd(10)}${"cause".padEnd(36)}${"answer".padEnd(36)}rule; others`);
  for (const { id, cause, answer, kind, rule, lenient, others } of wrong.toSorted((a, b) =>
    a.cause < b.cause ? -1 : 1,
  )) {
    const shown = `${answer === "none" ? kind : answer}${lenient ? " (accepted)" : ""}`;
    print(`${id.padEnd(10)}${cause.padEnd(36)}${shown.padEnd(36)}${rule ?? "-"}; ${others.join(", ")}`);
  }
  print("");
  print(`${"cause".padEnd(36)}right / cases`);
  for (const cause of [...new Set(results.map((result) => result.cause))].sort()) {
    const cases = results.filter((result) => result.cause === cause);
    print(`${cause.padEnd(36)}${cases.filter((result) => result.strict).length} / ${cases.length}`);
  }
  print("");
}

function summaryLine(results: readonly Result[]): string {
  const share = (count: number): string => (results.length === 0 ? "0.000" : (count / results.length).toFixed(3));
  const healthy = results.filter((result) => result.cause === "none");
  const strict = share(results.filter((result) => result.strict).length);
  const lenient = share(results.filter((result) => result.lenient).length);
  const named = healthy.filter((result) => result.answer !== "none").length;
  const unclassified = results.filter((result) => result.cause !== "none" && result.answer === "none").length;
  return `strict ${strict} lenient ${lenient} false-positives ${named}/${healthy.length} unclassified ${unclassified}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) await main(process.argv.slice(2));
