import type { LineEvent } from "./line-event.ts";
import { readStatement } from "./reading/statement.ts";
import { subjectsOf } from "./reading/find-subjects.ts";
import type { Subject } from "./reading/subjects.ts";

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

/** Whether a line tells of what failed, by a subject or a name, and not of what any line may be about. */
export function isOfSameThing(
  event: { readonly text: string; readonly source: LineEvent["source"] },
  text: string,
): boolean {
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
