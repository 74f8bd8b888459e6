import type { Cause } from "../causes.ts";
import { aksCause } from "./aks-codes.ts";
import { kindsOf, type Kind } from "./kinds.ts";
import type { Meaning } from "./meaning.ts";
import { meanings } from "./meanings.ts";
import { toolForm, type Program } from "./programs.ts";
import type { Statement } from "./statement.ts";
import { subjectsOf } from "./find-subjects.ts";
import type { Subject } from "./subjects.ts";

/** What a line says of the failure, by its form. */
export interface Reading {
  readonly statement: Statement;
  readonly kind: Kind | undefined;
  readonly subject: Subject | undefined;
  readonly cause: Cause;
  /** The line says only which step failed. */
  readonly general: boolean;
  /** Nothing that another part of the line says goes before it. */
  readonly final: boolean;
  /** 20 and more; how closely what is said and what it is about stand together. */
  readonly weight: number;
  /** Says more than the place where it stands. */
  readonly strong: boolean;
}

/** Characters before the innermost error in which it names what it is about. */
const clause = 140;

/** What a tool that copies or unpacks meets itself. */
const ofTools: ReadonlySet<Subject> = new Set<Subject>(["disk", "mount", "host-environment", "binary", "node-program"]);

/** Undefined where the statement says of no failure that is known by its form. */
export function readMessage(statement: Statement): Reading | undefined {
  return toolForm.test(statement.message) ? readTool(statement) : readAny(statement, subjectsOf);
}

function readTool(statement: Statement): Reading | undefined {
  const reading = readAny(statement, (text) => subjectsOf(text).filter((subject) => ofTools.has(subject)));
  return reading?.kind === "out-of-memory" ? undefined : reading;
}

function readAny(statement: Statement, subjectsIn: typeof subjectsOf): Reading | undefined {
  const { message, program } = statement;
  if (program === "aks-cse" || program === "azure") {
    const cause = aksCause(message);
    if (cause !== undefined)
      return {
        statement,
        kind: "exit-status",
        subject: undefined,
        cause,
        general: false,
        final: true,
        weight: 32,
        strong: false,
      };
  }
  const found = kindsOf(message);
  const [innermost] = found;
  const kinds = found.map(({ kind }) => kind);
  const whole = subjectsIn(message);
  const near = innermost === undefined ? whole : subjectsIn(message.slice(Math.max(0, innermost.at - clause)));
  const { severity } = statement;
  const passes: readonly (Said & { readonly weight: number })[] = [
    { program, severity, kinds: kinds.slice(0, 1), subjects: near, weight: 24 },
    { program, severity, kinds: kinds.slice(0, 1), subjects: whole, weight: 22 },
    { program, severity, kinds, subjects: whole, weight: 20 },
  ];
  const chosen = choose(passes);
  if (chosen === undefined) return undefined;
  const { meaning, weight } = chosen;
  return {
    statement,
    kind: meaning.kinds?.find((kind) => kinds.includes(kind)) ?? innermost?.kind,
    subject: meaning.subjects?.find((subject) => whole.includes(subject)) ?? near[0],
    cause: meaning.cause,
    general: meaning.general === true,
    final: meaning.final === true,
    weight: weight + (meaning.boost ?? 0),
    strong: strong.has(meaning.cause),
  };
}

/** The innermost error with what stands beside it, then with the whole line, then any error of the line. */
function choose(
  passes: readonly (Said & { readonly weight: number })[],
): { readonly meaning: Meaning; readonly weight: number } | undefined {
  let general: Meaning | undefined;
  for (const { weight, ...said } of passes) {
    const meaning = meanings.find((one) => fits(one, said));
    if (meaning === undefined) continue;
    if (meaning.general !== true || meaning.final === true) return { meaning, weight };
    const precise = meanings.find((one) => one.general !== true && fits(one, said));
    if (precise !== undefined) return { meaning: precise, weight };
    general ??= meaning;
  }
  return general === undefined ? undefined : { meaning: general, weight: 1 };
}

const strong: ReadonlySet<Cause> = new Set<Cause>(["disk-full", "out-of-memory", "kubeadm-config-invalid"]);

interface Said {
  readonly program: Program | undefined;
  readonly severity: Statement["severity"];
  readonly kinds: readonly Kind[];
  readonly subjects: readonly Subject[];
}

/** Without a kind, the line's own level must say that it tells of a failure. */
function speaks({ severity }: Said, atEnd: boolean): boolean {
  return severity === "end" || (severity === "error" && !atEnd);
}

function fits({ kinds, subjects, programs, general, atEnd }: Meaning, said: Said): boolean {
  if (programs !== undefined && (said.program === undefined || !programs.includes(said.program))) return false;
  if (kinds === undefined && general !== true && said.kinds.length === 0 && !speaks(said, atEnd === true)) return false;
  if (kinds !== undefined && !kinds.some((kind) => said.kinds.includes(kind))) return false;
  return subjects === undefined || subjects.some((subject) => said.subjects.includes(subject));
}
