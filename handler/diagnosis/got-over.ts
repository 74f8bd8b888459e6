import type { Applied } from "./applied.ts";
import { errorWeight } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import type { Matches } from "./match.ts";
import { readStatement } from "./reading/statement.ts";
import { subjectsOf, type Subject } from "./reading/subjects.ts";
import { saysAgain, type WellLine } from "./went-well.ts";

/**
 * Whether a short log shows that what failed went well in the end: behind every line of the failure it tells of the same
 * thing that it is done, or of anything where it had said that it tries again. What a program ended with is not got over.
 */
export function isGotOver(
  { events }: Applied,
  { wellLines, errorLines }: Pick<Matches, "wellLines" | "errorLines">,
): boolean {
  return (
    events.length > 0 &&
    events.every((event) => {
      const lines = wellLines.get(event.originIndex) ?? [];
      if (isGoingDown(event, lines)) return true;
      const ends = errorLines.filter(
        (one) => one.originIndex === event.originIndex && one.weight === 3 && one.line > event.line,
      );
      const end = Math.min(...ends.map(({ line }) => line));
      return isOver(
        event,
        lines.filter(({ line }) => line < end),
      );
    })
  );
}

const linesOfGoingDown = 6;

function isGoingDown({ line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  return lines.some(({ kind, line }) => kind === "down" && line < failed && line >= failed - linesOfGoingDown);
}

/** Of what was said until a program ended. */
function isOver(event: LineEvent, lines: readonly WellLine[]): boolean {
  const behind = lines.filter(({ line }) => line >= event.line);
  if (errorWeight(event.text) === 3 && !saysAgain(event.text)) return isMountedLater(event, behind);
  if (behind.some(({ kind, text }) => kind === "begun" && isOfSameThing(event, text))) return true;
  return behind.some(
    ({ kind, text, line }) =>
      kind === "well" &&
      line > event.line &&
      (isAnnounced(event, behind, line) || isGeneral(text) || isOfSameThing(event, text)),
  );
}

/** systemd tries a mount again where something asks for it. */
function isMountedLater({ text, line: failed }: LineEvent, behind: readonly WellLine[]): boolean {
  return (
    text.includes(".mount: ") && behind.some(({ text: later, line }) => line > failed && /\bMounted \//u.test(later))
  );
}

/** Between the failure and what went well it is said that it is tried again. */
function isAnnounced(event: LineEvent, behind: readonly WellLine[], end: number): boolean {
  return saysAgain(event.text) || behind.some(({ kind, line }) => kind === "again" && line < end);
}

/** Says of itself that it is over. */
function isGeneral(text: string): boolean {
  return /\brecovered\b|\bafter \d{1,4} (?:more )?(?:attempts|tries|retries)\b|\bafter (?:a )?retry\b|\bok after\b/iu.test(
    text,
  );
}

/** What any line may be about. */
const common: ReadonlySet<Subject> = new Set<Subject>([
  "node",
  "port",
  "version",
  "configuration",
  "unit",
  "binary",
  "plugin",
  "script",
  "setting",
  "snap",
  "system-folder",
  "os",
  "join",
]);

function isOfSameThing(event: LineEvent, text: string): boolean {
  const failed = readStatement(event.text, event.source).message;
  const well = readStatement(text, event.source).message;
  if (isOpposite(failed, well)) return true;
  const subjects = new Set(subjectsOf(failed).filter((one) => !common.has(one)));
  if (subjectsOf(well).some((one) => subjects.has(one))) return true;
  const names = new Set(namesOf(failed, event.text));
  return namesOf(well, text).some((one) => names.has(one));
}

const stem = 5;

/** "Failed to retrieve node …", "Successfully retrieved node …". */
function isOpposite(failed: string, well: string): boolean {
  const tried = /\b(?:failed|unable|could not|cannot|can't) (?:to )?(?<verb>[a-z]{4,20}) (?<what>[\w-]{3,60})/iu.exec(
    failed,
  )?.groups;
  const done = /\bsuccessfully (?<verb>[a-z]{4,20}) (?<what>[\w-]{3,60})/iu.exec(well)?.groups;
  return (
    tried !== undefined &&
    done !== undefined &&
    tried["verb"]?.slice(0, stem).toLowerCase() === done["verb"]?.slice(0, stem).toLowerCase() &&
    tried["what"] === done["what"]
  );
}

const shortWord = 4;

/** Hosts, addresses, files, images, units: words with a sign or a digit in them. */
function namesOf(message: string, line: string): readonly string[] {
  const begin = Math.max(0, line.indexOf(message.slice(0, 12)));
  return line
    .slice(begin)
    .split(/[^\w./:@-]/u)
    .map((word) => word.replace(/[./:@-]{1,3}$/u, "").toLowerCase())
    .filter((word) => word.length > shortWord)
    .filter((word) => /[a-z]/u.test(word) || /^\d{1,3}(?:\.\d{1,3}){3}/u.test(word))
    .filter((word) => /[./:@-]/u.test(word) && !/\.go:\d|^\d{4}-\d\d-/u.test(word))
    .flatMap((word) => [word, ...(/\/\/(?<host>[^/:]{3,100})/u.exec(word)?.slice(1) ?? [])]);
}
