import * as v from "valibot";
import { HandlerError, errorText } from "../errors/handler-error.ts";
import { blames } from "../reasons/reason-row.ts";
import { closedReason } from "../reasons/reasons.ts";
import { confidences, sourceIds, stages } from "./diagnosis.ts";
import { ruleLimits, type ShippedPattern, type ShippedRule } from "./rule.ts";

export interface RuleSet {
  /** Sorted by id. */
  readonly rules: readonly ShippedRule[];
}

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(ruleLimits.textLength));
const searchedText = v.pipe(
  v.string(),
  v.minLength(ruleLimits.literalLength),
  v.maxLength(ruleLimits.longestLiteral),
  v.regex(/^[^A-Z]+$/u, "Texts to search for are in lower case"),
);
const pattern = v.pipe(
  v.array(
    v.strictObject({
      source: v.pipe(v.string(), v.minLength(1), v.maxLength(ruleLimits.patternLength)),
      flags: v.picklist(["u", "iu"]),
      texts: v.exactOptional(v.pipe(v.array(searchedText), v.minLength(1), v.maxLength(ruleLimits.literals))),
    }),
  ),
  v.minLength(1),
  v.maxLength(8),
);
const patterns = v.pipe(v.array(pattern), v.maxLength(ruleLimits.patternsPerRule));
const somePatterns = v.pipe(patterns, v.minLength(1));
const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));
const stage = v.picklist(stages);

const common = {
  id: v.pipe(v.string(), v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u), v.maxLength(60)),
  platforms: v.pipe(v.array(v.picklist(["linux", "windows"])), v.minLength(1)),
  stage,
  sources: v.union([v.literal("any"), v.pipe(v.array(v.picklist(sourceIds)), v.minLength(1))]),
  any: somePatterns,
  all: v.exactOptional(somePatterns),
  except: v.exactOptional(somePatterns),
  title: text,
};

const failureRule = v.strictObject({
  ...common,
  kind: v.literal("failure"),
  cause: v.pipe(v.string(), v.regex(/^[a-z0-9-]{3,60}$/u)),
  reason: v.pipe(v.string(), v.regex(/^[A-Z][A-Za-z0-9]{2,59}$/u)),
  none: v.exactOptional(somePatterns),
  recoveredBy: v.exactOptional(somePatterns),
  differ: v.exactOptional(v.tuple([v.string(), v.string()])),
  minCount: v.exactOptional(count),
  minSeconds: v.exactOptional(count),
  specificity: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
  confidence: v.picklist(confidences),
  explains: v.exactOptional(v.array(v.string())),
  retryable: v.boolean(),
  blame: v.picklist(blames),
  summary: text,
  explanation: text,
  nextStep: text,
  references: v.array(v.pipe(v.string(), v.startsWith("https://"), v.maxLength(300))),
});

const successRule = v.strictObject({
  ...common,
  kind: v.literal("success"),
  covers: v.array(stage),
  settles: v.exactOptional(v.array(v.string())),
  final: v.boolean(),
});

const rulesFile = v.strictObject({
  version: v.literal(2),
  rules: v.pipe(v.array(v.variant("kind", [failureRule, successRule])), v.minLength(1), v.maxLength(ruleLimits.rules)),
});

/**
 * Reads the text of a rules.json. One bad rule refuses the whole file: half a catalogue would name wrong causes.
 * @throws HandlerError checkUntrusted
 */
export function loadRules(content: string): RuleSet {
  if (content.length > ruleLimits.fileBytes) {
    throw refused(`it has ${content.length} characters; at most ${ruleLimits.fileBytes} are allowed`);
  }
  const rules = parseRules(content);
  const ids = new Set(rules.map((rule) => rule.id));
  if (ids.size !== rules.length) throw refused("two rules have the same id");
  for (const rule of rules) {
    const problem = patternProblem(rule);
    if (problem !== undefined) throw refused(`rule ${rule.id}: ${problem}`);
  }
  return { rules: rules.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

function parseRules(content: string): readonly ShippedRule[] {
  try {
    return v.parse(rulesFile, JSON.parse(content)).rules.map(withClosedReason);
  } catch (error) {
    throw refused(describe(error));
  }
}

/** A catalogue may be newer than this handler: a reason that it does not know must not look like one of its own. */
function withClosedReason(rule: ShippedRule): ShippedRule {
  return rule.kind === "failure" ? { ...rule, reason: closedReason(rule.reason) } : rule;
}

function describe(error: unknown): string {
  if (!v.isValiError(error)) return errorText(error);
  const [issue] = error.issues;
  return `${v.getDotPath(issue) ?? "the document"}: ${issue.message}`;
}

/** What is wrong with the patterns of a rule, if anything. Also used by the generator, so that an author hears it first. */
export function patternProblem(rule: ShippedRule): string | undefined {
  const vetoes = rule.kind === "failure" ? [...(rule.none ?? []), ...(rule.recoveredBy ?? [])] : [];
  for (const searched of [...rule.any, ...(rule.all ?? []), ...vetoes]) {
    const problem = compileProblem(searched) ?? literalProblem(searched);
    if (problem !== undefined) return problem;
  }
  for (const tested of rule.except ?? []) {
    const problem = compileProblem(tested);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function compileProblem(terms: ShippedPattern): string | undefined {
  for (const { source, flags } of terms) {
    try {
      new RegExp(source, flags);
    } catch (error) {
      return errorText(error);
    }
  }
  return undefined;
}

function literalProblem(terms: ShippedPattern): string | undefined {
  if (terms.some(({ texts }) => texts !== undefined)) return undefined;
  const shown = terms.map(({ source }) => `/${source}/`).join(" and ");
  return `${shown} contains no text of ${ruleLimits.literalLength} or more characters that every matching line must hold`;
}

function refused(why: string): HandlerError {
  return new HandlerError("checkUntrusted", `The rule catalogue was refused whole: ${why}`, {
    hint: "Generate rules.json again with npm run generate, or choose another checkVersion",
  });
}
