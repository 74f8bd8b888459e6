import type { Cause } from "../causes.ts";
import type { SourceId } from "../diagnosis.ts";
import { aksCause } from "./aks-codes.ts";
import { kindsOf, type Kind } from "./kinds.ts";
import { meanings, type Meaning } from "./meanings.ts";
import type { Program } from "./programs.ts";
import { readStatement, type Statement } from "./statement.ts";
import { subjectsOf, type Subject } from "./subjects.ts";

/** What a line says of the failure, by its form. */
export interface Reading {
  readonly statement: Statement;
  readonly kind: Kind | undefined;
  readonly subject: Subject | undefined;
  readonly cause: Cause;
  /** The line says only which step failed. */
  readonly general: boolean;
}

/** Characters before the innermost error in which it names what it is about. */
const clause = 140;

export function readLine(line: string, source: SourceId): Reading | undefined {
  const statement = readStatement(line, source);
  return readMessage(statement);
}

export function readMessage(statement: Statement): Reading | undefined {
  const { message, program } = statement;
  if (program === "aks-cse" || program === "azure") {
    const cause = aksCause(message);
    if (cause !== undefined) return { statement, kind: "exit-status", subject: undefined, cause, general: false };
  }
  const found = kindsOf(message);
  const [innermost] = found;
  const kinds = found.map(({ kind }) => kind);
  const whole = subjectsOf(message);
  const near = innermost === undefined ? whole : subjectsOf(message.slice(Math.max(0, innermost.at - clause)));
  const about = { program, whole, near };
  const precise = innermost && first({ ...about, kinds: [innermost.kind], subjects: near });
  const chosen =
    precise !== undefined && (precise.general !== true || precise.final === true)
      ? precise
      : (first({ ...about, kinds: kinds.slice(0, 1), subjects: whole }, false) ??
        first({ ...about, kinds, subjects: whole }));
  if (chosen === undefined) return undefined;
  return {
    statement,
    kind: chosen.kinds?.find((kind) => kinds.includes(kind)) ?? innermost?.kind,
    subject: chosen.subjects?.find((subject) => whole.includes(subject)) ?? near[0],
    cause: chosen.cause,
    general: chosen.general === true,
  };
}

interface Said {
  readonly program: Program | undefined;
  readonly kinds: readonly Kind[];
  readonly subjects: readonly Subject[];
}

function first(said: Said, generalToo = true): Meaning | undefined {
  return meanings.find((meaning) => (generalToo || meaning.general !== true) && fits(meaning, said));
}

function fits({ kinds, subjects, programs, general }: Meaning, said: Said): boolean {
  if (programs !== undefined && (said.program === undefined || !programs.includes(said.program))) return false;
  if (kinds === undefined && general !== true && said.kinds.length === 0) return false;
  if (kinds !== undefined && !kinds.some((kind) => said.kinds.includes(kind))) return false;
  return subjects === undefined || subjects.some((subject) => said.subjects.includes(subject));
}
