import type { RuleSet } from "../diagnosis/load-rules.ts";
import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import { explainFound } from "./explain-found.ts";
import type { Explanation, FoundStatus } from "./explanation.ts";
import { withAge } from "./stale-wait.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { parseInput } from "./parse-input.ts";
import { readAzure } from "./read-azure.ts";
import { readDescribed } from "./read-described.ts";
import { readFailedQuestion } from "./read-failed-question.ts";
import { readForeign } from "./read-foreign.ts";
import { readKubernetes } from "./read-kubernetes.ts";
import { machineNamed } from "./machine-named.ts";
import { readNoAnswer } from "./read-no-answer.ts";
import { readPlainSituation } from "./read-plain-situation.ts";
import { readStatusFile } from "./read-status-file.ts";

const accepted =
  "Accepted: the instance view of a VM or of scale set instances, an extension resource, an AzureMachine, Machine or BootstrapVerdict (kubectl get -o yaml or json), " +
  "what kubectl describe prints, a status file of the extension, an error of Azure, or any text with our message in it.";

interface Known {
  readonly ruleSet: RuleSet | undefined;
  readonly now: Date | undefined;
}

/**
 * Says what Azure's or Kubernetes' answer means. With the rules, also what the words of others mean; with the time, whether a wait is over.
 * Never throws for bad input.
 */
export async function explain(text: string, ruleSet?: RuleSet, now?: Date): Promise<Explanation> {
  const known = { ruleSet, now };
  const input = await parseInput(text);
  switch (input.kind) {
    case "unusable":
      return notUnderstood(input.reason);
    case "text":
      return explainText(input.text, known);
    case "documents":
      return explainDocuments(input.documents, known);
  }
}

/** What the text is, where it is an answer of Azure or Kubernetes as a whole, and not any text with words of theirs in it. */
export async function recogniseAnswer(text: string): Promise<string | undefined> {
  const input = await parseInput(text);
  switch (input.kind) {
    case "unusable":
      return undefined;
    case "text":
      return readKubernetes(readDescribed(input.text)?.object)?.recognised;
    case "documents":
      return input.documents.map(readDocument).find((reading) => reading !== undefined)?.recognised;
  }
}

function explainDocuments(documents: readonly unknown[], known: Known): Explanation {
  const readings = documents.map(readDocument).filter((reading) => reading !== undefined);
  const [first] = readings;
  if (first !== undefined) {
    const found = readings.flatMap((reading) => reading.found);
    return explained(first.recognised, found, known);
  }
  // An error of ARM, an activity log entry …: the words are somewhere in it.
  const strings = documents.flatMap(stringsOf);
  const telling = strings.find((words) => findVerdictText(words) !== undefined) ?? strings.find(isTelling);
  const from = "JSON or YAML with a message in it";
  const whole =
    telling ?? strings.toSorted((a, b) => b.length - a.length).find((words) => isRead(words, known.ruleSet));
  if (whole !== undefined)
    return explained(from, [{ ...inText(from, whole), ...machineNamed(strings.join("\n")) }], known);
  return notUnderstood("It is JSON or YAML, but holds neither an extension's status nor a condition nor our message");
}

function readDocument(
  document: unknown,
): { readonly recognised: string; readonly found: readonly FoundStatus[] } | undefined {
  const file = readStatusFile(document);
  if (file !== undefined) return { recognised: "status file", found: [file] };
  return readKubernetes(document) ?? readAzure(document);
}

function explainText(text: string, known: Known): Explanation {
  const described = readDescribed(text);
  const reading = described === undefined ? undefined : readKubernetes(described.object);
  if (described !== undefined && reading !== undefined) {
    const event = described.events.find(isTelling);
    const said = reading.found.some(({ message }) => isTelling(message)) || event === undefined;
    return explained(
      `kubectl describe, ${reading.recognised}`,
      said ? reading.found : [{ ...inText("Event", event), machine: described.object.metadata.name }],
      known,
    );
  }
  const failed = readFailedQuestion(text);
  if (failed !== undefined)
    return explained("error of the command before the pipe", [{ ...inText("text", ""), situation: failed }], known);
  if (!isTelling(text) && !isRead(text, known.ruleSet))
    return notUnderstood(
      "It is text without a message of the extension, an error code of Azure or a failure that a rule knows",
    );
  return explained("text", [{ ...inText("text", text), ...machineNamed(text) }], known);
}

function inText(from: string, message: string): FoundStatus {
  return { from, message, substatuses: [], notes: [] };
}

function isTelling(text: string): boolean {
  return (
    findVerdictText(text) !== undefined ||
    findAzureError(text) !== undefined ||
    isPlainScriptFailure(text) ||
    readNoAnswer(text) !== undefined ||
    readPlainSituation(text) !== undefined
  );
}

function isRead(text: string, ruleSet: RuleSet | undefined): boolean {
  const reading = ruleSet === undefined ? undefined : readForeign({ speaker: "text", text }, ruleSet);
  return reading?.kind === "failure" && reading.isRule;
}

function explained(recognised: string, found: readonly FoundStatus[], { ruleSet, now }: Known): Explanation {
  const answers = found.map((one) => {
    const told = explainFound(one, ruleSet);
    return now === undefined ? told : withAge(told, one, now);
  });
  return { kind: "explained", schemaVersion: 1, recognised, answers };
}

function notUnderstood(reason: string): Explanation {
  return { kind: "not-understood", problem: `The input cannot be explained. ${reason}. ${accepted}` };
}

/** All texts of a document, in order. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}
