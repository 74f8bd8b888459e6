import { reasonOfCause } from "../../handler/diagnosis/causes.ts";
import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import type { FailureRule, ShippedPattern, SuccessRule } from "../../handler/diagnosis/rule.ts";
import { openReasons } from "../../handler/reasons/reasons.ts";
import { buildRules } from "./build-rules.ts";

type Failure = FailureRule<ShippedPattern>;

/** docs/rules.md: troubleshooting by the reason that stands in the first line of the status. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const { rules } = loadRules(await buildRules());
  const failures = rules.filter((rule) => rule.kind === "failure");
  const successes = rules.filter((rule) => rule.kind === "success");
  const byReason = Map.groupBy(failures, (rule) => rule.reason);
  const reasons = [...byReason.keys()].sort();
  const parts = [
    intro,
    "## Reasons\n",
    "| Reason | What happened | Side | Retry |\n| --- | --- | --- | --- |",
    ...reasons.map((reason) => tableRow(byReason.get(reason) ?? [])),
    "",
    ...reasons.map((reason) => section(reason, byReason.get(reason) ?? [])),
    "## Signs of success\n",
    "A failure that stands before one of these, in a stage that it covers or of a cause that it settles, is not named as the cause.\n",
    ...successes.map((rule) => `- \`${rule.id}\`: ${rule.title}${reach(rule)}.`),
    "",
    "## What explains what\n",
    "An arrow leads from a cause to a symptom: when both are found, the cause is named and the symptom is listed behind it.\n",
    graph(failures),
  ];
  return [{ path: "docs/rules.md", content: `${parts.join("\n")}\n` }];
}

function reach({ covers, settles = [] }: Pick<SuccessRule<unknown>, "covers" | "settles">): string {
  return [
    ...(covers.length > 0 ? [`; covers ${covers.join(", ")}`] : []),
    ...(settles.length > 0 ? [`; settles ${settles.join(", ")}`] : []),
  ].join("");
}

const intro = `# Troubleshooting by reason

This page is generated from \`scripts/rules/\` by \`npm run generate\`. The reason stands in parentheses in the first line of the
status: \`Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: …\`.

How the cause is chosen:

1. A rule applies when its lines are in the logs, no line speaks against it, and no later line shows that the step went well.
2. Failures of an earlier kubeadm run on the same machine stand behind those of the last run.
3. A finding that another finding explains is a symptom.
4. The most specific finding is named; one that stands in a program's closing error counts more.

When no rule applies, the status says Unclassified and quotes the last error lines. Where only the failure of a script is known, it quotes
what the script said last, and nobody knows whether a new machine passes.
`;

function tableRow(rules: readonly Failure[]): string {
  const [first] = rules;
  if (first === undefined) return "";
  const sides = [...new Set(rules.map((rule) => rule.blame))].join(", ");
  const known = rules.some((rule) => rule.retryable) ? "may help" : "fails again";
  const retry = openReasons.has(first.reason) ? "mostly not known" : known;
  return `| [${first.reason}](#${first.reason.toLowerCase()}) | ${first.title} | ${sides} | ${retry} |`;
}

function section(reason: string, rules: readonly Failure[]): string {
  const [first] = rules;
  const label = first === undefined ? "" : `Cause label: \`${first.cause}\`.\n`;
  return [`### ${reason}\n`, label, ...rules.map(ruleText)].join("\n");
}

function ruleText(rule: Failure): string {
  const references = rule.references.map((reference) => `<${reference}>`).join(", ");
  return [
    `**${rule.title}** (\`${rule.id}\`, stage ${rule.stage}, confidence ${rule.confidence}).`,
    rule.explanation,
    "",
    `- Next step: ${escapeBraces(rule.nextStep)}`,
    `- See: ${references}`,
    "",
  ].join("\n");
}

/** Markdown keeps `{{ … }}` of cloud-init templates only inside code. */
function escapeBraces(text: string): string {
  return text.replace(/\{\{[^{}]{1,80}\}\}/gu, "`$&`");
}

/** Between reasons, so that the picture stays readable. */
function graph(failures: readonly Failure[]): string {
  const reasons = new Map<string, string>([
    ...Object.entries(reasonOfCause),
    ...failures.map((rule): [string, string] => [rule.id, rule.reason]),
  ]);
  const used = new Set<string>(failures.map((rule) => rule.reason));
  const edges = failures.flatMap((rule) =>
    (rule.explains ?? []).map((name) => ({ from: rule.reason, to: reasons.get(name) ?? "" })),
  );
  const lines = edges
    .filter(({ from, to }) => from !== to && used.has(to))
    .map(({ from, to }) => `  ${from} --> ${to}`);
  return ["```mermaid", "flowchart LR", ...[...new Set(lines)].sort(), "```"].join("\n");
}
