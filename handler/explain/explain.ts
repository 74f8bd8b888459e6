import { answer } from "./answer.ts";
import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import type { Explanation, FoundStatus } from "./explanation.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { parseInput } from "./parse-input.ts";
import { readAzure } from "./read-azure.ts";
import { readKubernetes } from "./read-kubernetes.ts";
import { readStatusFile } from "./read-status-file.ts";

const accepted =
  "Accepted: the instance view of a VM or of scale set instances, an extension resource, an AzureMachine or Machine (kubectl get -o yaml or json), " +
  "a status file of the extension, or any text with our message in it.";

/** Says what Azure's or Kubernetes' answer means. Never throws for bad input. */
export async function explain(text: string): Promise<Explanation> {
  const input = await parseInput(text);
  switch (input.kind) {
    case "unusable":
      return notUnderstood(input.reason);
    case "text":
      return explainWords(input.text, "text");
    case "documents":
      return explainDocuments(input.documents);
  }
}

function explainDocuments(documents: readonly unknown[]): Explanation {
  const readings = documents.map(readDocument).filter((reading) => reading !== undefined);
  const [first] = readings;
  if (first !== undefined) {
    return explained(
      first.recognised,
      readings.flatMap(({ found }) => found),
    );
  }
  // An error of ARM, an activity log entry, an event …: our words are somewhere in it.
  const telling = documents.flatMap(stringsOf).find((words) => isTelling(words));
  if (telling !== undefined) return explainWords(telling, "JSON or YAML with our message in it");
  return notUnderstood("It is JSON or YAML, but holds neither an extension's status nor a condition nor our message");
}

function readDocument(
  document: unknown,
): { readonly recognised: string; readonly found: readonly FoundStatus[] } | undefined {
  const file = readStatusFile(document);
  if (file !== undefined) return { recognised: "status file", found: [file] };
  return readKubernetes(document) ?? readAzure(document);
}

function explainWords(text: string, recognised: string): Explanation {
  if (!isTelling(text)) return notUnderstood("It is text without a message of the extension or an error code of Azure");
  return explained(recognised, [{ from: recognised, message: text, substatuses: [], notes: [] }]);
}

function isTelling(text: string): boolean {
  return findVerdictText(text) !== undefined || findAzureError(text) !== undefined || isPlainScriptFailure(text);
}

function explained(recognised: string, found: readonly FoundStatus[]): Explanation {
  return { kind: "explained", schemaVersion: 1, recognised, answers: found.map(answer) };
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
