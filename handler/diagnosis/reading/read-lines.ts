import type { SourceId, Stage } from "../diagnosis.ts";
import type { ErrorLine } from "../error-lines.ts";
import { programOfOrigin, programs, type Program } from "./programs.ts";
import { readMessage, type Reading } from "./read-line.ts";
import { readStatement, type Statement } from "./statement.ts";

/** A failing line that says something by its form. */
export interface ReadErrorLine {
  readonly error: ErrorLine;
  readonly reading: Reading;
}

/** Programs that speak of what others do, or that any log has. */
const everywhere: ReadonlySet<Program> = new Set<Program>([
  "systemd",
  "kernel",
  "shell",
  "powershell",
  "download",
  "apt",
  "yum",
]);

/** The program of a log that speaks of one alone. */
function onlyProgram(programsOfLog: ReadonlySet<Program> | undefined): Program | undefined {
  const [program, ...more] = programsOfLog ?? [];
  return more.length === 0 ? program : undefined;
}

/** By log. */
function programsOf(lines: readonly ErrorLine[]): ReadonlyMap<number, ReadonlySet<Program>> {
  const known = new Map<number, Set<Program>>();
  for (const { whole, source, originIndex } of lines) {
    const { program } = readStatement(whole, source);
    if (program === undefined || everywhere.has(program)) continue;
    known.set(originIndex, (known.get(originIndex) ?? new Set()).add(program));
  }
  return known;
}

/** Each line with its reading; one that does not name its program is of the only program that its log speaks of. */
export function readLines(
  lines: readonly ErrorLine[],
): readonly { readonly error: ErrorLine; readonly reading: Reading | undefined }[] {
  const known = programsOf(lines);
  return lines.map((error) => {
    const statement = readStatement(error.whole, error.source);
    const program =
      statement.program ?? programOfOrigin(error.origin) ?? error.speaker ?? onlyProgram(known.get(error.originIndex));
    return { error, reading: readPassedOn({ ...statement, program }, error.source) };
  });
}

/** Behind its colons a line passes on what another program said, which is read by itself where the whole says no more than that it failed. */
function readPassedOn(statement: Statement, source: SourceId): Reading | undefined {
  const whole = readMessage(statement);
  if (whole !== undefined && (!whole.general || whole.final)) return whole;
  const { severity, message } = statement;
  const passedOn = tailsOf(message).map((tail) => {
    const { program = statement.program, message: said } = readStatement(tail, source);
    return readMessage({ program, severity, message: said });
  });
  return passedOn.find((reading) => reading?.general === false) ?? whole;
}

const mostTails = 4;
const leastOfTail = 16;

/** What stands behind the first colons of a chain, the longest first. */
function tailsOf(message: string): readonly string[] {
  return [...message.matchAll(/: "?(?=\S)/gu)]
    .slice(0, mostTails)
    .map(({ index, 0: colon }) => message.slice(index + colon.length))
    .filter((tail) => tail.length >= leastOfTail);
}

/** Who said a line, and in which step of the bootstrap. */
export function stepOf(
  line: ErrorLine,
  lines: readonly ErrorLine[],
): { readonly program?: string; readonly stage: Stage } {
  const said = readStatement(line.whole, line.source).program ?? programOfOrigin(line.origin) ?? line.speaker;
  const program = said ?? onlyProgram(programsOf(lines).get(line.originIndex));
  return program === undefined ? { stage: "any" } : { program, stage: programs[program] };
}
