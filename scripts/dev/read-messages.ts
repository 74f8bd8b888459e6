import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Diagnosis } from "../../handler/diagnosis/diagnosis.ts";
import { sourceIds } from "../../handler/diagnosis/diagnosis.ts";
import type { RuleSet } from "../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../handler/diagnosis/match.ts";
import { rankFindings } from "../../handler/diagnosis/rank.ts";

export const messagesFolder = path.resolve(import.meta.dirname, "../../test/fixtures/messages");

/** A message of a program that ends a bootstrap, as an instance with made-up values. */
export interface Message {
  readonly program: string;
  /** Versions of the program that have it, "FROM-TO". */
  readonly versions: string;
  readonly cause: string;
  readonly text: string;
}

/** Every line of test/fixtures/messages/PROGRAM.tsv: versions, cause, instance. */
export async function readMessages(folder: string = messagesFolder): Promise<readonly Message[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".tsv")).toSorted();
  const messages = await Promise.all(files.map((file) => readFileOf(folder, file)));
  return messages.flat();
}

async function readFileOf(folder: string, file: string): Promise<readonly Message[]> {
  const program = path.basename(file, ".tsv");
  const lines = (await readFile(path.join(folder, file), "utf8")).split("\n");
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [versions, cause, text, ...rest] = line.split("\t");
      if (versions === undefined || cause === undefined || text === undefined || rest.length > 0) {
        throw new Error(`${file}: "${line}" is not versions, cause and instance, parted by tabs`);
      }
      return { program, versions, cause, text };
    });
}

/** "rule": a rule names it; "reading": read by its form; "quoted": no cause, but the line is quoted; "lost": not even that. */
export type NamedBy = "rule" | "reading" | "quoted" | "lost";

export interface MessageAnswer {
  readonly message: Message;
  readonly namedBy: NamedBy;
  readonly cause: string | undefined;
  readonly ruleId: string | undefined;
  readonly right: boolean;
  /** Another cause, and beyond doubt. */
  readonly wrongAndSure: boolean;
}

/** What a log says that holds this message alone. */
export function answerMessage(message: Message, ruleSet: RuleSet): MessageAnswer {
  const platform = windowsPrograms.has(message.program) ? "windows" : "linux";
  const matcher = createMatcher(ruleSet, { platform });
  const [source, ...also] = sourceIds;
  matcher.feed({ source, also, origin: `${message.program}.log` }, Buffer.from(`${message.text}\n`));
  const diagnosis = rankFindings(matcher.finish());
  const primary = diagnosis.kind === "classified" ? diagnosis.primary : undefined;
  const right = primary?.cause === message.cause;
  return {
    message,
    namedBy: namedBy(diagnosis),
    cause: primary?.cause,
    ruleId: primary?.ruleId,
    right,
    wrongAndSure: primary !== undefined && !right && primary.confidence === "high",
  };
}

const windowsPrograms: ReadonlySet<string> = new Set(["cloudbase-init", "windows"]);

function namedBy(diagnosis: Diagnosis): NamedBy {
  switch (diagnosis.kind) {
    case "classified":
      return diagnosis.primary.ruleId.startsWith("reading-") ? "reading" : "rule";
    case "unclassified":
      return diagnosis.decisive.length > 0 ? "quoted" : "lost";
    case "healthy":
      return "lost";
  }
}
