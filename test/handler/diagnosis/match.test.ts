import { describe, expect, test } from "@jest/globals";
import { loadRules, type RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher, type Matches } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { shipSearched } from "../../../scripts/dev/read-rules.ts";
import type { FailureRule, ShippedPattern, ShippedRule } from "../../../handler/diagnosis/rule.ts";

const origin = { source: "kubelet", origin: "journalctl -u kubelet" } as const;

function pattern(source: string): ShippedPattern {
  return shipSearched(new RegExp(source, "u"));
}

function rulesFile(...rules: readonly object[]): string {
  return JSON.stringify({ version: 2, rules });
}

function failure(id: string, changes: Partial<FailureRule<ShippedPattern>> = {}): ShippedRule {
  return {
    kind: "failure",
    id,
    cause: id,
    reason: "SomeReason",
    platforms: ["linux"],
    stage: "kubelet",
    sources: "any",
    any: [pattern(`${id} failed`)],
    specificity: 50,
    confidence: "high",
    retryable: false,
    blame: "network",
    title: "A title",
    summary: "A summary",
    explanation: "An explanation",
    nextStep: "A next step",
    references: [],
    ...changes,
  };
}

function ruleSet(...rules: readonly ShippedRule[]): RuleSet {
  return loadRules(rulesFile(...rules));
}

function run(rules: RuleSet, ...chunks: readonly (string | Uint8Array)[]): Matches {
  const matcher = createMatcher(rules, { platform: "linux" });
  for (const chunk of chunks) matcher.feed(origin, typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return matcher.finish();
}

function causes(rules: RuleSet, ...chunks: readonly string[]): readonly string[] {
  const diagnosis = rankFindings(run(rules, ...chunks));
  if (diagnosis.kind !== "classified") return [diagnosis.kind];
  return [diagnosis.primary, ...diagnosis.others].map(({ ruleId, role }) => `${ruleId}/${role}`);
}

describe("createMatcher", () => {
  test("finds a line that is cut anywhere between two chunks", () => {
    const rules = ruleSet(failure("alpha"));
    const log = "first line\nthe alpha failed today\nlast line\n";
    for (let at = 1; at < log.length; at++) {
      const [matches] = run(rules, log.slice(0, at), log.slice(at)).byPattern[0] ?? [];
      expect(matches?.first.map(({ line, text }) => `${line}: ${text}`)).toEqual(["2: the alpha failed today"]);
    }
  });

  test("does not need the chunk after the call", () => {
    const rules = ruleSet(failure("alpha"));
    const chunk = Buffer.from("the alpha fai");
    const matcher = createMatcher(rules, { platform: "linux" });
    matcher.feed(origin, chunk);
    chunk.fill(0x20);
    matcher.feed(origin, Buffer.from("led today"));
    expect(matcher.finish().byPattern[0]?.[0]?.first[0]?.text).toBe("the alpha failed today");
  });

  test("finds a text far into a line of many megabytes", () => {
    const rules = ruleSet(failure("alpha"));
    const filler = "x".repeat(100_000);
    const matches = run(rules, ...Array.from({ length: 20 }, () => filler), "the alpha failed today", filler, "\n");
    expect(matches.byPattern[0]?.[0]?.first[0]?.text.length).toBeLessThan(700);
  });

  test("counts a flood and keeps its first and last lines only", () => {
    const rules = ruleSet(failure("alpha"));
    const flood = Array.from({ length: 5000 }, (_, index) => `alpha failed ${index}`).join("\n");
    const [matches] = run(rules, flood).byPattern[0] ?? [];
    expect(matches?.first[0]?.line).toBe(1);
    expect(matches?.last.at(-1)?.line).toBe(5000);
    expect((matches?.first.length ?? 0) + (matches?.last.length ?? 0)).toBeLessThan(10);
  });

  test("reads what PowerShell redirects: UTF-16 with a byte order mark", () => {
    const rules = ruleSet(failure("alpha"));
    const log = Buffer.from("\uFEFFone\r\nthe alpha failed\r\n", "utf16le");
    expect(run(rules, log.subarray(0, 7), log.subarray(7)).byPattern[0]?.[0]?.first[0]?.line).toBe(2);
  });

  test("asks a rule only about its own sources", () => {
    const rules = ruleSet(failure("alpha", { sources: ["kernel"] }));
    expect(run(rules, "the alpha failed\n").byPattern[0]).toEqual([]);
  });

  test("needs all expressions of a pattern on one line", () => {
    const both = [
      { source: "alpha", flags: "u", texts: ["alpha"] },
      { source: "beta", flags: "u" },
    ];
    const rules = ruleSet(failure("alpha", { any: [both] }));
    expect(run(rules, "alpha\nbeta\n").byPattern[0]).toEqual([]);
    expect(run(rules, "beta and alpha\n").byPattern[0]).toHaveLength(1);
  });
});

describe("rankFindings", () => {
  test("names the more specific of two findings", () => {
    const rules = ruleSet(failure("alpha", { specificity: 40 }), failure("beta", { specificity: 60 }));
    expect(causes(rules, "alpha failed\nbeta failed\n")).toEqual(["beta/cause", "alpha/cause"]);
  });

  test("takes a finding that only says that a step failed as a symptom beside one that says why", () => {
    const rules = ruleSet(failure("alpha", { specificity: 20 }), failure("beta", { specificity: 60 }));
    expect(causes(rules, "alpha failed\nbeta failed\n")).toEqual(["beta/cause", "alpha/symptom"]);
  });

  test("puts what another finding explains behind it, however specific it is", () => {
    const rules = ruleSet(failure("alpha", { specificity: 90 }), failure("beta", { explains: ["alpha"] }));
    expect(causes(rules, "alpha failed\nbeta failed\n")).toEqual(["beta/cause", "alpha/symptom"]);
  });

  test("drops a failure whose step went well later, and only then", () => {
    const rules = ruleSet(failure("alpha", { recoveredBy: [pattern("alpha is good")] }));
    expect(causes(rules, "alpha failed\nalpha is good\n")).toEqual(["unclassified"]);
    expect(causes(rules, "alpha is good\nalpha failed\n")).toEqual(["alpha/cause"]);
  });

  test("takes a failure before a success that covers its stage as recovered, and calls the bootstrap healthy", () => {
    const success: ShippedRule = {
      kind: "success",
      id: "success-joined",
      platforms: ["linux"],
      stage: "kubeadm-join",
      sources: "any",
      any: [pattern("has joined the cluster")],
      title: "Joined",
      covers: ["kubelet"],
      final: true,
    };
    const rules = ruleSet(failure("alpha"), failure("beta", { stage: "network" }), success);
    expect(causes(rules, "alpha failed\nThis node has joined the cluster\n")).toEqual(["healthy"]);
    expect(causes(rules, "beta failed\nThis node has joined the cluster\n")).toEqual(["beta/cause"]);
  });

  test("puts findings of an earlier kubeadm run behind those of the last one", () => {
    const rules = ruleSet(
      failure("alpha", { stage: "kubeadm-preflight", specificity: 90 }),
      failure("beta", { stage: "kubeadm-join" }),
    );
    const start = "[preflight] Running pre-flight checks\n";
    expect(causes(rules, `${start}alpha failed\n${start}beta failed\n`)).toEqual(["beta/cause", "alpha/remark"]);
    expect(causes(rules, `${start}alpha failed\n${start}`)).toEqual(["alpha/cause"]);
  });

  test("waits for as many lines, over as long a time, as the rule asks", () => {
    const rules = ruleSet(failure("alpha", { minCount: 2, minSeconds: 30 }));
    const at = (clock: string): string => `E0310 ${clock}.000000 1 x.go:1] alpha failed\n`;
    expect(causes(rules, at("08:00:00"))).toEqual(["unclassified"]);
    expect(causes(rules, at("08:00:00"), at("08:00:10"))).toEqual(["unclassified"]);
    expect(causes(rules, at("08:00:00"), at("08:00:40"))).toEqual(["alpha/cause"]);
  });

  test("applies a rule with differ only when the two groups have no value in common", () => {
    const any = [pattern("alpha asked (?<one>\\d+)"), pattern("alpha got (?<other>\\d+)")];
    const rules = ruleSet(failure("alpha", { any, differ: ["one", "other"] }));
    expect(causes(rules, "alpha asked 1\nalpha got 1\n")).toEqual(["unclassified"]);
    expect(causes(rules, "alpha asked 1\nalpha got 2\n")).toEqual(["alpha/cause"]);
    expect(causes(rules, "alpha asked 1\n")).toEqual(["unclassified"]);
  });

  test("quotes the closing error lines when nothing applies, repeated ones once", () => {
    const rules = ruleSet(failure("alpha"));
    const log = `${"E0310 08:00:00.000000 1 x.go:1] something odd\n".repeat(50)}the widget exited with status 3\nbye\n`;
    const matcher = createMatcher(rules, { platform: "linux" });
    matcher.feed({ source: "system", origin: "/var/log/syslog" }, Buffer.from(log));
    const diagnosis = rankFindings(matcher.finish());
    const decisive = diagnosis.kind === "unclassified" ? diagnosis.decisive.map(({ text }) => text) : [];
    expect(decisive).toEqual(["E0310 08:00:00.000000 1 x.go:1] something odd", "the widget exited with status 3"]);
  });
});

describe("loadRules", () => {
  test.each([
    ["is not JSON", "{"],
    ["has a rule with an unknown field", rulesFile({ ...failure("alpha"), weight: 1 })],
    [
      "has a flag that is not allowed",
      rulesFile(failure("alpha", { any: [[{ source: "abcd", flags: "g", texts: ["abcd"] }]] })),
    ],
    [
      "has an expression that does not compile",
      rulesFile(failure("alpha", { any: [[{ source: "abcd(", flags: "u", texts: ["abcd"] }]] })),
    ],
    ["has an expression without a text to search for", rulesFile(failure("alpha", { any: [pattern("\\d+")] }))],
    ["has a pattern that is too long", rulesFile(failure("alpha", { any: [pattern("a".repeat(401))] }))],
    ["has two rules of one id", rulesFile(failure("alpha"), failure("alpha"))],
    ["has no rules", rulesFile()],
    ["is of another version", JSON.stringify({ version: 1, rules: [failure("alpha")] })],
    [
      "has a text that the search would never find",
      rulesFile(failure("alpha", { any: [[{ source: "Abcd", flags: "u", texts: ["Abcd"] }]] })),
    ],
    [
      "has a text that is too short",
      rulesFile(failure("alpha", { any: [[{ source: "abc", flags: "u", texts: ["abc"] }]] })),
    ],
  ])("refuses the whole file when it %s", (_, text) => {
    expect(() => loadRules(text)).toThrow("The rule catalogue was refused whole");
  });

  test("does not call a node healthy whose kubelet ended for good after it had joined", () => {
    const rules = ruleSet(joined);
    const end =
      "Apr 02 08:15:00 node-1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE";
    const started = "Apr 02 08:15:09 node-1 systemd[1]: Started kubelet.service - kubelet.";
    expect(causes(rules, "alpha joined\n")).toEqual(["healthy"]);
    expect(causes(rules, `${end}\nalpha joined\n`)).toEqual(["healthy"]);
    expect(causes(rules, `alpha joined\n${end}\n`)[0]).not.toBe("healthy");
    expect(causes(rules, `alpha joined\n${end}\n${started}\n`)).toEqual(["healthy"]);
  });

  test("names kubeadm init where the log tells of it, whatever the rule was written for", () => {
    const rules = ruleSet(failure("alpha", { stage: "kubeadm-join" }));
    const stage = (log: string): string => {
      const diagnosis = rankFindings(run(rules, log));
      return diagnosis.kind === "classified" ? diagnosis.primary.stage : diagnosis.kind;
    };
    expect(stage("alpha failed\n")).toBe("kubeadm-join");
    expect(stage("[init] Using Kubernetes version: v1.30.2\nalpha failed\n")).toBe("kubeadm-init");
  });

  test("says who said the last error, and in which step, where no cause is known", () => {
    const rules = ruleSet(failure("alpha"));
    const matcher = createMatcher(rules, { platform: "linux" });
    const log = "Apr 02 08:15:00 node-1 k3s[7]: zork exited with status 3\n";
    matcher.feed({ source: "system", origin: "/var/log/syslog" }, Buffer.from(log));
    const diagnosis = rankFindings(matcher.finish());
    expect(diagnosis).toMatchObject({ step: { program: "k3s", stage: "distribution", line: { line: 1 } } });
  });
});

const joined: ShippedRule = {
  kind: "success",
  id: "joined",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [pattern("alpha joined")],
  title: "Joined",
  covers: ["kubelet", "kubeadm-join", "any"],
  final: true,
};

test("what a rule knows of a broken statement is shown with the rest of it", () => {
  const log = "error: alpha failed:\n    the made-up disk does not exist\n";
  const diagnosis = rankFindings(run(ruleSet(failure("alpha")), log));
  const shown = diagnosis.kind === "classified" ? diagnosis.primary.evidence.map(({ text }) => text) : [];
  expect(shown).toEqual(["error: alpha failed: the made-up disk does not exist"]);
});
