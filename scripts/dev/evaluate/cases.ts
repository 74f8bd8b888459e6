import { readFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import type { Diagnosis, EvidenceLine, SourceId } from "../../../handler/diagnosis/diagnosis.ts";
import { sourceIds } from "../../../handler/diagnosis/diagnosis.ts";
import type { RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import type { Shown } from "../../../handler/text/shown-text.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { linesShown } from "../../../handler/diagnosis/render.ts";

const caseSchema = v.looseObject({
  id: v.string(),
  cause: v.string(),
  also: v.optional(v.array(v.string()), []),
  /** The decisive line, or a part of it; empty where nothing is wrong. */
  evidence: v.optional(v.string(), ""),
  log_kind: v.optional(v.string(), "mixed"),
  platform: v.optional(v.string(), "linux"),
});
export type Case = v.InferOutput<typeof caseSchema>;

export interface LoadedCase {
  readonly case: Case;
  readonly log: Buffer;
}

/** cases.jsonl and cases/ID.log of a labelled folder. */
export async function readCases(folder: string): Promise<readonly LoadedCase[]> {
  const lines = (await readFile(path.join(folder, "cases.jsonl"), "utf8")).split("\n");
  return Promise.all(
    lines
      .filter((line) => line.trim() !== "")
      .map(async (line) => {
        const one = v.parse(caseSchema, JSON.parse(line));
        return { case: one, log: await readFile(path.join(folder, "cases", `${one.id}.log`)) };
      }),
  );
}

/** What the collectors would file such a log under; a kind that is not listed may hold anything. */
const sourcesOfKind = new Map<string, readonly SourceId[]>([
  ["kubeadm", ["cloud-init-output", "kubeadm", "command-output", "kubelet", "runtime", "system"]],
  ["kubelet", ["kubelet", "system", "bootstrap-unit", "runtime", "units"]],
  ["containerd", ["runtime", "system", "kubelet"]],
  ["cloud-init", ["cloud-init", "cloud-init-output", "cloud-init-status", "system", "command-output"]],
  ["cloudbase-init", ["cloudbase-init", "command-output", "windows-events"]],
  ["ignition", ["ignition", "system", "kernel"]],
]);

/** Runs the rules and the reading over one log, without network or probes. */
export function diagnoseLog(one: Case, log: Buffer, ruleSet: RuleSet): Shown<Diagnosis> {
  const matcher = createMatcher(ruleSet, { platform: one.platform === "windows" ? "windows" : "linux" });
  const [source = "cloud-init-output", ...also] = sourcesOfKind.get(one.log_kind) ?? sourceIds;
  matcher.feed({ source, also, origin: `${one.id}.log` }, log);
  return rankFindings(matcher.finish());
}

export interface Result {
  readonly id: string;
  readonly cause: string;
  readonly also: readonly string[];
  readonly answer: string;
  readonly kind: Diagnosis["kind"];
  readonly rule?: string;
  readonly strict: boolean;
  readonly lenient: boolean;
  /** Whether the case's decisive line stands among the lines that an operator is shown. */
  readonly evidence: boolean;
  readonly others: readonly string[];
}

export function evaluateCase({ case: one, log }: LoadedCase, ruleSet: RuleSet): Result {
  const diagnosis = diagnoseLog(one, log, ruleSet);
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
    evidence: one.evidence !== "" && isShown(one.evidence, linesShown(diagnosis)),
    others: diagnosis.others.map((other) => `${other.ruleId} (${other.role})`),
  };
}

/** Compared without white space, quotes and escapes: labels were written by hand from wrapped and escaped lines. */
export function isShown(evidence: string, lines: readonly EvidenceLine[]): boolean {
  const wanted = bare(evidence);
  const shown = bare(lines.map(({ text }) => text).join(""));
  return shown.includes(wanted) || lines.some(({ text }) => bare(text).length > 40 && wanted.includes(bare(text)));
}

function bare(text: string): string {
  return text.replaceAll(/[\s"'`\\…]+/gu, "").toLowerCase();
}
