import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { loadRules, type RuleSet } from "../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../handler/diagnosis/match.ts";
import { rankFindings } from "../handler/diagnosis/rank.ts";
import type { ShippedRule } from "../handler/diagnosis/rule.ts";
import { rulesFile } from "../scripts/dev/build-rules.ts";
import { readRuleLogs, ruleLog, type RuleLogName } from "../scripts/dev/read-rule-logs.ts";
import { evidenceOf } from "./support/evidence-of.ts";
import { cloudbaseRecord, pythonLiteral } from "./support/python-literal.ts";

const logs = readRuleLogs();
let ruleSet: RuleSet;

beforeAll(async () => {
  ruleSet = loadRules(await readFile(rulesFile, "utf8"));
});

interface Said {
  readonly cause: string;
  readonly summary: string;
}

function say(rule: ShippedRule, bytes: Buffer): Said {
  const matcher = createMatcher(ruleSet, { platform: "windows" });
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

type Write = (log: string) => Buffer;

const utf8 = (text: string): Buffer => Buffer.from(text, "utf8");
const utf16 = (text: string): Buffer => Buffer.from(text.replaceAll(/\r?\n/gu, "\r\n"), "utf16le");
const record = (log: string): string => cloudbaseRecord(pythonLiteral(log));

const forms: readonly (readonly [string, Write])[] = [
  ["b'…'", (log) => utf8(`${record(log)}\n`)],
  ['b"…"', (log) => utf8(`${cloudbaseRecord(pythonLiteral(log, '"'))}\n`)],
  ["a literal that is cut before its end", (log) => utf8(record(log).slice(0, -1))],
  [
    "a literal between other records",
    (log) => utf8([cloudbaseRecord("ok"), record(log), cloudbaseRecord("ok"), ""].join("\n")),
  ],
  ["a literal in UTF-16 with a mark", (log) => utf16(`\uFEFF${record(log)}\n`)],
  ["UTF-16 with a mark", (log) => utf16(`\uFEFF${log}`)],
  ["UTF-16 without a mark", utf16],
  ["Windows line ends", (log) => utf8(log.replaceAll(/\r?\n/gu, "\r\n"))],
];

function sayOfAll(name: RuleLogName, write: Write): Record<string, Said> {
  const said: Record<string, Said> = {};
  for (const rule of ruleSet.rules.filter(({ platforms }) => platforms.includes("windows"))) {
    said[rule.id] = say(rule, write(ruleLog(logs, rule.id, name).toString("utf8")));
  }
  return said;
}

const causesOf = (said: Record<string, Said>) => Object.entries(said).map(([id, { cause }]) => [id, cause]);
const plain: Write = utf8;

describe.each(forms)("every rule for Windows, its log as %s", (_, write) => {
  test("a rule's log has the same cause in the same words as the plain log, and no written line end in them", () => {
    const said = sayOfAll("match", write);
    expect(Object.keys(said).length).toBeGreaterThan(80);
    expect(said).toEqual(sayOfAll("match", plain));
    const ofRules = Object.values(said).filter(({ cause }) => ruleSet.rules.some(({ id }) => id === cause));
    expect(ofRules.filter(({ summary }) => /\\r|\\n/u.test(summary))).toEqual([]);
  });

  // Only the cause: of an unclassified log a line is quoted, and how wide a screen was is told by all lines, the record's too.
  test("a rule's near miss has the same cause as the plain log", () => {
    expect(causesOf(sayOfAll("near-miss", write))).toEqual(causesOf(sayOfAll("near-miss", plain)));
  });
});

describe("a log of 5 MB on one line", () => {
  const step = '+ a step of the user\'s script that goes well, with "quotes" and a C:\\path\n';
  const noise = step.repeat(Math.ceil(5_000_000 / step.length));

  function cost(bytes: Buffer): number {
    const matcher = createMatcher(ruleSet, { platform: "windows" });
    const origin = { source: "cloudbase-init", also: ["command-output", "kubeadm"], origin: "a log" } as const;
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += 262_144) matcher.feed(origin, bytes.subarray(at, at + 262_144));
    const diagnosis = rankFindings(matcher.finish());
    const { user, system } = process.cpuUsage(before);
    expect(diagnosis).toMatchObject({ kind: "classified", primary: { ruleId: "kubelet-config-not-written" } });
    return user + system;
  }

  test("is diagnosed for about the work of the same log in lines", () => {
    const log = noise + ruleLog(logs, "kubelet-config-not-written", "match").toString("utf8");
    const [inLines, onOneLine] = [utf8(log), utf8(record(log))];
    cost(inLines);
    const least = (bytes: Buffer) => Math.min(...[1, 2, 3].map(() => cost(bytes)));
    // Unescaping reads every byte once more; what grows faster than the log would be a hundred times as much.
    expect(least(onOneLine) / least(inLines)).toBeLessThan(10);
  });
});
