import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { analyse } from "scslre";
import { reasonOfCause } from "../handler/diagnosis/causes.ts";
import { sourceIds } from "../handler/diagnosis/diagnosis.ts";
import { loadRules, type RuleSet } from "../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../handler/diagnosis/match.ts";
import { rankFindings } from "../handler/diagnosis/rank.ts";
import type { FailureRule, ShippedPattern, ShippedRule } from "../handler/diagnosis/rule.ts";
import { buildRules, rulesFile } from "../scripts/dev/build-rules.ts";
import { readRuleLogs, ruleLog, ruleLogsFolder } from "../scripts/dev/read-rule-logs.ts";
import { evidenceOf } from "./support/evidence-of.ts";

const logs = readRuleLogs();
const golden = path.join(ruleLogsFolder, "matrix.golden.json");
let shipped = "";
let ruleSet: RuleSet;

beforeAll(async () => {
  shipped = await readFile(rulesFile, "utf8");
  ruleSet = loadRules(shipped);
});

function failures(): readonly FailureRule<ShippedPattern>[] {
  return ruleSet.rules.filter((rule) => rule.kind === "failure");
}

function patternsOf(rule: ShippedRule): readonly ShippedPattern[] {
  const vetoes = rule.kind === "failure" ? [...(rule.none ?? []), ...(rule.recoveredBy ?? [])] : [];
  return [...rule.any, ...(rule.all ?? []), ...(rule.except ?? []), ...vetoes];
}

/** What a log yields: ids in order, or what the engine says instead. */
function answers(log: Buffer, rule: ShippedRule): readonly string[] {
  const matcher = createMatcher(ruleSet, { platform: rule.platforms[0] ?? "linux" });
  matcher.feed(evidenceOf(rule), log);
  const diagnosis = rankFindings(matcher.finish());
  if (diagnosis.kind !== "classified") return [diagnosis.kind];
  const others = diagnosis.others.filter((other) => other.role !== "remark");
  return [diagnosis.primary.ruleId, ...others.map((other) => other.ruleId)];
}

test("rules.json is what the authored rules generate", async () => {
  expect(await buildRules()).toBe(shipped);
});

test("every rule has its logs, in the file of its stage or in a folder of its own, and all logs have a rule", () => {
  const places = ruleSet.rules.map((rule) => [rule.id, rule.kind === "success" ? "success.md" : `${rule.stage}.md`]);
  const found = [...logs.values()].map(({ id, from }): readonly [string, string] => [id, from]);
  const expected = new Map(places.map(([id = "", place = ""]) => [id, logs.get(id)?.from === id ? id : place]));
  expect(new Map(found.sort(([one], [other]) => (one < other ? -1 : 1)))).toEqual(expected);
});

test("a rule's own log names the rule first", () => {
  const first: Record<string, string | undefined> = {};
  for (const rule of failures()) first[rule.id] = answers(ruleLog(logs, rule.id, "match"), rule)[0];
  expect(first).toEqual(Object.fromEntries(failures().map((rule) => [rule.id, rule.id])));
});

test("a configuration that kubeadm refused is got over by a run that goes on, not by a reset", () => {
  const rule = failures().find(({ id }) => id === "kubeadm-config-refused");
  if (rule === undefined) throw new Error("no such rule");
  const refused =
    'your configuration file uses an old API spec: "kubeadm.k8s.io/v1beta2". Please use kubeadm v1.22 instead';
  const reset = `${refused}\nstdout: [cp-0]\n[preflight] Running pre-flight checks\n`;
  expect(answers(Buffer.from(reset), rule)).toEqual([rule.id]);
  const joined = `${reset}[preflight] Reading configuration from the cluster...\n`;
  expect(answers(Buffer.from(joined), rule)).toEqual(["unclassified"]);
});

test("a rule's near miss does not yield the rule", () => {
  const wrong: string[] = [];
  for (const rule of failures()) {
    if (answers(ruleLog(logs, rule.id, "near-miss"), rule).includes(rule.id)) wrong.push(rule.id);
  }
  expect(wrong).toEqual([]);
});

test("a sign of success is seen in its own log and not in its near miss", () => {
  const wrong: string[] = [];
  for (const rule of ruleSet.rules.filter((one) => one.kind === "success")) {
    const alone: RuleSet = { rules: [rule] };
    const seen = (log: Buffer): boolean => {
      const matcher = createMatcher(alone, { platform: rule.platforms[0] ?? "linux" });
      matcher.feed(evidenceOf(rule), log);
      return matcher.finish().byPattern.some((matches) => matches.length > 0);
    };
    if (!seen(ruleLog(logs, rule.id, "match"))) wrong.push(`${rule.id}: not seen in its match`);
    if (seen(ruleLog(logs, rule.id, "near-miss"))) wrong.push(`${rule.id}: seen in its near miss`);
  }
  expect(wrong).toEqual([]);
});

test("every fixture is a whole log of at least eight lines", () => {
  const short: string[] = [];
  for (const rule of ruleSet.rules) {
    for (const name of ["match", "near-miss"] as const) {
      const lines = ruleLog(logs, rule.id, name)
        .toString()
        .split("\n")
        .filter((line) => line.trim() !== "");
      if (lines.length < 8) short.push(`${rule.id}, ${name}, has ${lines.length} lines`);
    }
  }
  expect(short).toEqual([]);
});

test("every rule against every rule's log is as reviewed", async () => {
  const matrix: Record<string, readonly string[]> = {};
  for (const rule of ruleSet.rules) matrix[rule.id] = answers(ruleLog(logs, rule.id, "match"), rule);
  if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, `${JSON.stringify(matrix, undefined, 1)}\n`);
  expect(matrix).toEqual(JSON.parse(await readFile(golden, "utf8")));
});

/** Lines in which nothing fails, more than a reason stands before its effect. */
const between = Array.from({ length: 45 }, (_, at) => `Apr 02 08:15:${at} node-1 chronyd[5]: Selected source PHC0`);

type Places = readonly (readonly [string, (root: string, effect: string) => string])[];
const near: Places = [
  ["before", (root, effect) => `${root}${effect}`],
  ["behind", (root, effect) => `${effect}${root}`],
];
const far: Places = [
  ["long before", (root, effect) => `${root}${between.join("\n")}\n${effect}`],
  ["long behind", (root, effect) => `${effect}${between.join("\n")}\n${root}`],
];

/** Either order and either distance, each once. */
const diagonal = [...near.slice(1), ...far.slice(0, 1)];

/** The cause named first of a log that may have come from anywhere. */
function primaryCause(log: string, rules: RuleSet): string {
  const matcher = createMatcher(rules, { platform: "linux" });
  matcher.feed({ source: "cloud-init-output", also: sourceIds, origin: "a.log" }, Buffer.from(log));
  const diagnosis = rankFindings(matcher.finish());
  return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
}

/** Steps that fail because of something else, by the rules that know them. */
const effects: readonly string[] = [
  "kubelet-service-failed",
  "kubelet-health-check-failed",
  "kubeadm-join-timed-out",
  "cloud-init-runcmd-failed",
  "image-pull-failed-generic",
  "sandbox-image-not-pulled",
  "etcd-not-healthy",
  "static-pod-crashes",
  "runtime-unit-failed",
  "package-not-in-index",
  "command-kubeadm-not-found",
  "azure-other-extension-failed",
];

/** What a step that failed wrote, without the line with which kubeadm begins: before that stands an earlier attempt. */
function effectsOf(root: FailureRule<ShippedPattern>): readonly (readonly [string, string])[] {
  return failures()
    .filter(({ id, cause }) => effects.includes(id) && cause !== root.cause && root.explains?.includes(cause) === true)
    .map(({ id }) => [
      id,
      ruleLog(logs, id, "match")
        .toString()
        .replaceAll(/^.*\[(?:preflight\] Running|init\] Using).*\n/gmu, ""),
    ]);
}

/** Pairs of which another cause is named than the root's, whose log this is. */
function namedOtherwise(root: FailureRule<ShippedPattern>, log: string, { rules, places }: Pairing): readonly string[] {
  return effectsOf(root).flatMap(([id, effect]) =>
    places.flatMap(([place, put]) => {
      const named = primaryCause(put(log, effect), rules);
      return named === root.cause ? [] : [`${root.id} ${place} ${id}: ${named}`];
    }),
  );
}

interface Pairing {
  readonly rules: RuleSet;
  readonly places: Places;
}

/** A run of kubeadm that comes as far as to wait has a configuration that it takes. */
const gotOver = "kubeadm-config-refused";

test("a cause is named before what follows from it, whichever stands first and however far away", () => {
  const wrong: string[] = [];
  for (const root of failures().filter(
    ({ id, platforms }) => platforms.includes("linux") && !id.startsWith("probe-"),
  )) {
    const log = ruleLog(logs, root.id, "match").toString();
    // Some logs have a cause further up beside their own.
    if (primaryCause(log, ruleSet) === root.cause && root.id !== gotOver)
      wrong.push(...namedOtherwise(root, log, { rules: ruleSet, places: diagonal }));
  }
  expect(wrong).toEqual([]);
});

/** The rules as they are, but those of one cause know no line: what they explain is left. */
function withoutSentences(cause: string): RuleSet {
  const { rules, ...rest } = JSON.parse(shipped) as { rules: { cause?: string; any: unknown }[] };
  const any = [[{ source: "made-up sentence", flags: "u", texts: ["made-up senten"] }]];
  return loadRules(
    JSON.stringify({ ...rest, rules: rules.map((rule) => (rule.cause === cause ? { ...rule, any } : rule)) }),
  );
}

test.each([
  [
    "disk-no-space",
    'level=error msg="cannot unpack the layer" error="write /var/lib/made-up/1: no space left on device"',
  ],
  ["oom-killed-needed-process", "kernel: Out of memory: Killed process 22 (made-up-apiserver) total-vm:11kB"],
  ["apt-dpkg-lock-held", "E: Could not get lock /var/lib/dpkg/made-up. It is held by process 12"],
])("a cause that is only read is named before what follows from it: %s", (id, line) => {
  const root = failures().find((rule) => rule.id === id);
  if (root === undefined) throw new Error(`no rule ${id}`);
  const rules = withoutSentences(root.cause);
  const log = `${between.slice(0, 8).join("\n")}\n${line}\n${line}\n`;
  expect(primaryCause(log, rules)).toBe(root.cause);
  expect(effectsOf(root).length).toBeGreaterThan(1);
  expect(namedOtherwise(root, log, { rules, places: [...near, ...far] })).toEqual([]);
});

test("no pattern needs more than linear time", () => {
  const slow: string[] = [];
  for (const rule of ruleSet.rules) {
    for (const { source, flags } of patternsOf(rule).flat()) {
      const { reports } = analyse({ source, flags }, { reportTypes: { Self: true, Trade: true, Move: true } });
      if (reports.length > 0) slow.push(`${rule.id}: /${source}/ (${reports.map((report) => report.type).join(", ")})`);
    }
  }
  expect(slow).toEqual([]);
});

describe("the texts of a rule", () => {
  test("say what happened, what it means and which field or thing to change, within their lengths", () => {
    const wrong = failures().flatMap((rule) => textProblems(rule).map((problem) => `${rule.id}: ${problem}`));
    expect(wrong).toEqual([]);
  });

  test("name groups in the summary that a pattern has, or give a fallback", () => {
    const wrong: string[] = [];
    for (const rule of failures()) {
      const sources = patternsOf(rule)
        .flat()
        .map(({ source }) => source);
      for (const [, name = "", fallback] of rule.summary.matchAll(
        /\{(?<name>\w{1,40})(?<fallback>\|[^{}]{0,80})?\}/gu,
      )) {
        const inAll = rule.any.every((terms) => terms.some(({ source }) => source.includes(`(?<${name}>`)));
        if (!sources.some((source) => source.includes(`(?<${name}>`))) wrong.push(`${rule.id}: no group ${name}`);
        const inEvent = inAll || rule.differ?.includes(name) === true;
        if (!inEvent && fallback === undefined) wrong.push(`${rule.id}: {${name}} needs a fallback`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

function textProblems(rule: FailureRule<ShippedPattern>): readonly string[] {
  const problems: string[] = [];
  const lengths = [
    ["title", rule.title, 15, 80],
    ["summary", rule.summary, 15, 140],
    ["explanation", rule.explanation, 40, 500],
    ["nextStep", rule.nextStep, 40, 400],
  ] as const;
  for (const [name, value, least, most] of lengths) {
    if (value.length < least || value.length > most)
      problems.push(`${name} has ${value.length} characters; ${least} to ${most} are allowed`);
  }
  if (/[.!]$/u.test(rule.title)) problems.push("title ends in a full stop");
  if (rule.references.length === 0) problems.push("references is empty");
  return problems;
}

test("every rule names a cause of the taxonomy and its one reason", () => {
  const reasons = new Map<string, string>(Object.entries(reasonOfCause));
  const wrong = failures().filter((rule) => reasons.get(rule.cause) !== rule.reason);
  expect(wrong.map((rule) => `${rule.id}: ${rule.cause} ${rule.reason}`)).toEqual([]);
  expect(new Set(reasons.values()).size).toBe(reasons.size);
});

test("explains names rules or causes of the taxonomy", () => {
  const known = new Set([...failures().map((rule) => rule.id), ...Object.keys(reasonOfCause)]);
  const unknown = failures().flatMap((rule) =>
    (rule.explains ?? []).filter((name) => !known.has(name)).map((name) => `${rule.id} explains ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("explains has no cycle between causes", () => {
  const causeOf = new Map(failures().map((rule) => [rule.id, rule.cause]));
  const edges = new Map<string, Set<string>>();
  for (const rule of failures()) {
    const targets = (rule.explains ?? []).map((name) => causeOf.get(name) ?? name);
    edges.set(
      rule.cause,
      new Set([...(edges.get(rule.cause) ?? []), ...targets.filter((name) => name !== rule.cause)]),
    );
  }
  expect(findCycle(edges)).toEqual([]);
});

function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): readonly string[] => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...way, node]);
      if (cycle.length > 0) return cycle;
    }
    done.add(node);
    return [];
  };
  for (const node of edges.keys()) {
    const cycle = visit(node, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

test("who was refused for good is not excused by a rule that holds a few attempts for normal", () => {
  const lines = (answer: string): Buffer =>
    Buffer.from(
      [
        "[  147.65] ignition[587]: Ignition v0.34.0",
        "[  147.70] systemd[1]: Started Made Up.",
        "[  147.75] systemd[1]: Started Made Up As Well.",
        '[  147.84] ignition[587]: no config at "/usr/lib/ignition/user.ign"',
        "[  147.85] systemd[1]: Reached target Host and Network Name Lookups.",
        "[  147.87] ignition[587]: GET http://169.254.169.254/made-up/user-data: attempt #1",
        "[  147.88] systemd[1]: Starting Ignition (disks)...",
        `[  147.93] ignition[587]: GET result: ${answer}`,
        "",
      ].join("\n"),
    );
  const causeOf = (answer: string): string => {
    const matcher = createMatcher(ruleSet, { platform: "linux" });
    matcher.feed({ source: "ignition", origin: "ignition.log" }, lines(answer));
    const diagnosis = rankFindings(matcher.finish());
    return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
  };
  expect(causeOf("Unauthorized")).toBe("ignition-fetch-failed");
  expect(causeOf("Not Found")).toBe("unclassified");
});

test("a unit that is started again right behind its end is not up, one that is so later is", () => {
  const lines = (restarted: string): Buffer =>
    Buffer.from(
      [
        'Apr 02 08:15:01 cp-1 k3s[812]: time="2026-04-02T08:15:01Z" level=info msg="Preparing made-up server"',
        'Apr 02 08:15:02 cp-1 k3s[812]: time="2026-04-02T08:15:02Z" level=fatal msg="made-up end of all words"',
        `Apr 02 ${restarted} cp-1 systemd[1]: Started Lightweight Kubernetes.`,
        "",
      ].join("\n"),
    );
  const kindOf = (restarted: string): string => {
    const matcher = createMatcher(ruleSet, { platform: "linux" });
    matcher.feed({ source: "system", origin: "journal" }, lines(restarted));
    return rankFindings(matcher.finish()).kind;
  };
  expect(kindOf("08:15:07")).toBe("unclassified");
  expect(kindOf("08:17:00")).toBe("healthy");
});

test("the one end of a kubelet that systemd then started is past, with several it is not", () => {
  const end =
    'E0402 08:15:01.100000 812 run.go:74] "command failed" err="failed to run Kubelet: validate service connection: rpc error: code = Unavailable desc = connection error: dial unix /run/made-up.sock: connect: no such file or directory"';
  const kindOf = (...more: readonly string[]): string => {
    const matcher = createMatcher(ruleSet, { platform: "linux" });
    const lines = [`Apr 02 08:15:01 cp-1 kubelet[812]: ${end}`, ...more, "Apr 02 08:15:12 cp-1 made-up[1]: quiet", ""];
    matcher.feed({ source: "system", origin: "journal" }, Buffer.from(lines.join("\n")));
    return rankFindings(matcher.finish()).kind;
  };
  const started = "Apr 02 08:15:11 cp-1 systemd[1]: Started kubelet - Kubernetes Node Agent.";
  expect(kindOf()).toBe("classified");
  expect(kindOf(started)).toBe("unclassified");
  expect(kindOf(started, `Apr 02 08:15:11 cp-1 kubelet[830]: ${end}`)).toBe("classified");
  expect(kindOf("Apr 02 08:15:11 cp-1 systemd[1]: kubelet.service: restart counter is at 4.", started)).toBe(
    "classified",
  );
});
