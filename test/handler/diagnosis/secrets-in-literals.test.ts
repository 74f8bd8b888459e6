import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "@jest/globals";
import { Excerpts } from "../../../handler/diagnosis/excerpts.ts";
import { loadRules, type RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { showAll } from "../../../handler/text/shown-text.ts";
import { rulesFile } from "../../../scripts/dev/build-rules.ts";
import { cloudbaseRecord, pythonLiteral, type Quote } from "../../support/python-literal.ts";
import { seenIn } from "../text/disguises.ts";
import { generateSecrets } from "../text/generate-secrets.ts";

const source = { source: "cloudbase-init", also: ["command-output", "kubeadm"], origin: "cloudbase-init.log" } as const;
const perLog = 500;
let ruleSet: RuleSet;

beforeAll(async () => {
  ruleSet = loadRules(await readFile(rulesFile, "utf8"));
});

/** A log of cloudbase-init that is one line, in pieces as a file is read: what a report would show of it. */
function shownOf(log: string): string {
  const bytes = Buffer.from(log, "utf8");
  const excerpts = new Excerpts();
  const matcher = createMatcher(ruleSet, {
    platform: "windows",
    onBytes: ({ origin }, read) => {
      excerpts.keep(origin, read);
    },
  });
  for (let at = 0; at < bytes.length; at += 65_536) matcher.feed(source, bytes.subarray(at, at + 65_536));
  return JSON.stringify([showAll(rankFindings(matcher.finish())), excerpts.excerpts()]);
}

test.each([
  ["b'…'", "'", (log: string) => log],
  ['b"…"', '"', (log: string) => log],
  ["a literal that is cut", "'", (log: string) => log.slice(0, -1)],
] as const)(
  "of 10,000 secrets in one line of a Windows log, %s, none is in the diagnosis or the excerpt of it",
  (...form) => {
    const [, quote, finish] = form;
    let shownPlaces = 0;
    const seen: object[] = [];
    for (let round = 0; round < 10_000 / perLog; round++) {
      const planted = generateSecrets(20261123 + round, perLog);
      const printed = planted.map(({ text }, index) => `error: planted number ${String(index)}.\n${text}\n`).join("");
      const shown = shownOf(finish(cloudbaseRecord(pythonLiteral(printed, quote satisfies Quote))));
      const isSeen = seenIn(shown);
      shownPlaces += planted.filter((_, index) => shown.includes(`planted number ${String(index)}.`)).length;
      seen.push(
        ...planted.filter(({ secret }) => isSeen(secret)).map(({ kind, secret, text }) => ({ kind, secret, text })),
      );
    }
    expect(seen.slice(0, 6)).toEqual([]);
    // Most of each log lies within what an excerpt keeps, so the secrets would have been shown.
    expect(shownPlaces).toBeGreaterThan(9000);
  },
  300_000,
);

test("nor is one that a program printed in UTF-16, under a name in other letters", () => {
  const printed =
    "the first line of many\nhasło: nAbVuE2cewljf63m8KNykAaZ7\nＰＡＳＳＷＯＲＤ: svUFA9J0KSzTz1CC5SeQZaZ7\nerror: refused\n";
  const wide = Buffer.from(printed.replaceAll("\n", "\r\n"), "utf16le").toString("latin1");
  const literal = Array.from(wide, (character) => {
    const code = character.charCodeAt(0);
    if (character === "\n" || character === "\r") return character === "\n" ? "\\n" : "\\r";
    return code >= 0x20 && code < 0x7f ? character : `\\x${code.toString(16).padStart(2, "0")}`;
  }).join("");
  const shown = shownOf(cloudbaseRecord(`b'${literal}'`));
  expect(shown).toContain("the first line of many");
  expect(shown).not.toMatch(/nAbVuE2c|svUFA9J0/u);
});
