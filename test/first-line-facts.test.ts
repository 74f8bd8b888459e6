import { beforeAll, expect, test } from "@jest/globals";
import { sourceIds, type Diagnosis } from "../handler/diagnosis/diagnosis.ts";
import { loadRules } from "../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../handler/diagnosis/match.ts";
import { rankFindings } from "../handler/diagnosis/rank.ts";
import { ours, type Shown } from "../handler/text/shown-text.ts";
import { verdictStatus } from "../handler/verdict/verdict-status.ts";
import { buildRules } from "../scripts/dev/build-rules.ts";
import { readMessages } from "../scripts/dev/read-messages.ts";
import { userMessages } from "./support/user-messages.ts";
import { failedVerdict, report } from "./support/verdict-samples.ts";

/** Characters of the innermost error that a quotation holds at least, where that has as many. */
const leastShown = 16;
/** A shorter end of a chain, such as "i/o timeout", tells nothing without what stands before it. */
const leastOfStatement = 24;

/** A first line, and the sentence that it was made of. */
interface Line {
  readonly line: string;
  readonly summary: string;
}

let lines: readonly Line[] = [];

beforeAll(async () => {
  const ruleSet = loadRules(await buildRules());
  const diagnoses = (await readMessages()).map(({ text, program }) => {
    const platform = program === "windows" || program === "cloudbase-init" ? "windows" : "linux";
    const matcher = createMatcher(ruleSet, { platform });
    const [source, ...also] = sourceIds;
    matcher.feed({ source, also, origin: "/var/log/cloud-init-output.log" }, Buffer.from(`${text}\n`));
    return rankFindings(matcher.finish());
  });
  lines = [
    ...diagnoses.map((diagnosis, index) => lineOf(diagnosis, index % 2 === 0 ? "failed" : "deadline")),
    ...(await userMessages()).map(({ status }) => read(status)),
  ];
  // It only guards against a hang: other tests run beside it.
}, 300_000);

function lineOf(diagnosis: Shown<Diagnosis>, kind: "failed" | "deadline"): Line {
  const output = { stdout: ours``, stderr: ours`` };
  const end =
    kind === "deadline"
      ? ({ kind, report: report(), output, stillRunning: [] } as const)
      : ({ kind, report: report({ stage: "cloud-init" }), output, exit: { kind: "code", code: 1 } } as const);
  return read(
    verdictStatus(failedVerdict({ elapsedSeconds: 1187, end, diagnosis: { diagnosis, evidence: [], probes: [] } })),
  );
}

function read({ message, substatuses }: ReturnType<typeof verdictStatus>): Line {
  const verdict: unknown = JSON.parse(substatuses[0]?.message ?? "{}");
  const summary = typeof verdict === "object" && verdict !== null && "summary" in verdict ? verdict.summary : "";
  return { line: message.split("\n")[0] ?? "", summary: String(summary) };
}

const speaks = /\b(?:says|said|last error|last words):? "?(?<said>[^\n]*?)"?[.…]?$/u;

function quoted(text: string): string | undefined {
  return speaks.exec(text)?.groups?.["said"];
}

/** The last statement of a chain that says something by itself, whole. */
function innermost(said: string): string {
  const starts = [0, ...[...said.matchAll(/: "?(?=\S)|="\b/gu)].map(({ index, 0: sign }) => index + sign.length)];
  return said.slice(starts.findLast((start) => said.length - start >= leastOfStatement) ?? 0);
}

/** Characters of a statement that stand in a quotation, in pieces of a word at least. */
function shownOf(statement: string, quotation: string): number {
  return quotation
    .split("…")
    .map((piece) => longestCommon(piece.trim(), statement))
    .filter((length) => length >= 3)
    .reduce((sum, length) => sum + length, 0);
}

function longestCommon(a: string, b: string): number {
  let best = 0;
  for (let start = 0; start < a.length; start++) {
    while (start + best < a.length && b.includes(a.slice(start, start + best + 1))) best += 1;
  }
  return best;
}

test("what a first line quotes holds the innermost error, or is left out wholly", () => {
  const quoting = lines.flatMap(({ line, summary }) => {
    const happened = line.slice(0, line.lastIndexOf(" Next: "));
    const quotation = quoted(happened);
    const said = quoted(summary);
    return quotation === undefined || said === undefined ? [] : [{ line, quotation, statement: innermost(said) }];
  });
  expect(quoting.length).toBeGreaterThanOrEqual(500);
  expect(
    quoting.filter(
      ({ quotation, statement }) => shownOf(statement, quotation) < Math.min(leastShown, statement.length),
    ),
  ).toEqual([]);
});

test("no first line introduces somebody and then says nothing", () => {
  expect(
    lines
      .map(({ line }) => line)
      .filter((line) => /\b(?:says|said|last error|last words):?[ "]{0,2}[.…]{0,2} Next: /u.test(line)),
  ).toEqual([]);
});

test("every first line has at most 200 characters and a next step of more than a word's beginning", () => {
  const failures = lines.map(({ line }) => line).filter((line) => line.startsWith("Bootstrap failed"));
  expect(failures.filter((line) => line.length > 200 || !/ Next: \S.{5,}[.…]$/u.test(line))).toEqual([]);
});
