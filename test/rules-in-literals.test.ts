import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { loadRules, type RuleSet } from "../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../handler/diagnosis/match.ts";
import { rankFindings } from "../handler/diagnosis/rank.ts";
import type { ShippedRule } from "../handler/diagnosis/rule.ts";
import { rulesFile } from "../scripts/dev/build-rules.ts";
import { evidenceOf } from "./support/evidence-of.ts";
import { cloudbaseRecord, pythonLiteral } from "./support/python-literal.ts";

const fixtures = path.resolve(import.meta.dirname, "fixtures/rules");
let ruleSet: RuleSet;

beforeAll(async () => {
  ruleSet = loadRules(await readFile(rulesFile, "utf8"));
});

interface Said {
  readonly cause: string;
  readonly summary: string;
}

function say(rule: ShippedRule, text: string): Said {
  const matcher = createMatcher(ruleSet, { platform: "windows" });
  const bytes = Buffer.from(text, "utf8");
  // In pieces, as a file is read: an escape may be cut anywhere.
  for (let at = 0; at < bytes.length; at += 1000) matcher.feed(evidenceOf(rule), bytes.subarray(at, at + 1000));
  const diagnosis = rankFindings(matcher.finish());
  if (diagnosis.kind !== "classified")
    return {
      cause: diagnosis.kind,
      summary: diagnosis.kind === "unclassified" ? (diagnosis.decisive[0]?.text ?? "") : "",
    };
  return { cause: diagnosis.primary.ruleId, summary: diagnosis.primary.summary };
}

const forms: readonly (readonly [string, (log: string) => string])[] = [
  ["b'…'", (log) => `${cloudbaseRecord(pythonLiteral(log))}\n`],
  ['b"…"', (log) => `${cloudbaseRecord(pythonLiteral(log, '"'))}\n`],
  ["cut before its end", (log) => cloudbaseRecord(pythonLiteral(log)).slice(0, -1)],
  [
    "between other records",
    (log) => `${cloudbaseRecord("ok")}\n${cloudbaseRecord(pythonLiteral(log))}\n${cloudbaseRecord("ok")}\n`,
  ],
];

async function sayOfAll(name: "match" | "near-miss", write: (log: string) => string): Promise<Record<string, Said>> {
  const said: Record<string, Said> = {};
  for (const rule of ruleSet.rules.filter(({ platforms }) => platforms.includes("windows"))) {
    said[rule.id] = say(rule, write(await readFile(path.join(fixtures, rule.id, `${name}.log`), "utf8")));
  }
  return said;
}

const causesOf = (said: Record<string, Said>) => Object.entries(said).map(([id, { cause }]) => [id, cause]);
const plain = (log: string): string => log;

describe.each(forms)("every rule for Windows, its log as a literal of Python's bytes on one line: %s", (_, write) => {
  test("a rule's log has the same cause in the same words as the plain log, and no written line end in them", async () => {
    const said = await sayOfAll("match", write);
    expect(Object.keys(said).length).toBeGreaterThan(80);
    expect(said).toEqual(await sayOfAll("match", plain));
    const ofRules = Object.values(said).filter(({ cause }) => ruleSet.rules.some(({ id }) => id === cause));
    expect(ofRules.filter(({ summary }) => /\\r|\\n/u.test(summary))).toEqual([]);
  });

  // Only the cause: of an unclassified log a line is quoted, and how wide a screen was is told by all lines, the record's too.
  test("a rule's near miss has the same cause as the plain log", async () => {
    expect(causesOf(await sayOfAll("near-miss", write))).toEqual(causesOf(await sayOfAll("near-miss", plain)));
  });
});
