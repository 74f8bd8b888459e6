import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { FoundStatus } from "./explanation.ts";
import { textOf } from "./json-fields.ts";
import type { FoundSituation } from "./situation.ts";

/**
 * What a Run Command printed on the machine. `az vm run-command invoke` answers with a list of statuses: on Linux one, whose message has
 * both streams below `[stdout]` and `[stderr]`; on Windows one for each stream. A managed Run Command has them in its instance view.
 * @returns undefined for everything else
 */
export function readRunCommand(items: readonly unknown[]): FoundStatus | undefined {
  const answers = items.map(answerOf);
  const known = answers.filter((answer) => answer !== undefined);
  if (known.length === 0 || known.length < answers.length) return undefined;
  const text = joined(known.map((answer) => answer.text));
  const kind = known.some(({ failed }) => failed) ? "command-failed" : "command-told-nothing";
  const detail = firstLineOf(joined(known.map(({ printed }) => printed))) ?? firstLineOf(text);
  return {
    from: "Run Command",
    message: "",
    substatuses: [],
    notes: [],
    foreign: { speaker: "Run Command", text },
    situation: { kind, subject: {}, ...(detail === undefined ? {} : { detail }) } satisfies FoundSituation,
  };
}

interface CommandAnswer {
  /** All that Azure hands back: it may quote why the command could not be run. */
  readonly text: string;
  /** Only what the command itself printed. */
  readonly printed: string;
  readonly failed: boolean;
}

function answerOf(value: unknown): CommandAnswer | undefined {
  if (!isJsonObject(value)) return undefined;
  const code = textOf(value["code"]) ?? "";
  const text = textOf(value["message"]) ?? "";
  const failed = /\/failed/iu.test(code);
  if (/^ComponentStatus\/Std(?:Out|Err)\//iu.test(code)) return { text, printed: text, failed };
  if (code.startsWith("ProvisioningState/") && text.includes("[stdout]"))
    return { text, printed: text.slice(text.indexOf("[stdout]")).replace(/^\[std(?:out|err)\]$/gmu, ""), failed };
  return managedAnswerOf(value);
}

function managedAnswerOf(value: JsonObject): CommandAnswer | undefined {
  const state = textOf(value["executionState"]);
  if (state === undefined) return undefined;
  const text = joined([value["output"], value["error"], value["executionMessage"]].map((part) => textOf(part) ?? ""));
  return { text, printed: text, failed: /^(?:failed|timedout|canceled)$/iu.test(state) };
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** A whole sentence of ours, with its next step, has room in it. */
const longestDetail = 240;

function firstLineOf(text: string): string | undefined {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  if (line === "") return undefined;
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}
