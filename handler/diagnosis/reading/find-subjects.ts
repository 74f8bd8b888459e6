import { mayMatch } from "./may-match.ts";
import { textsOfSubjects } from "./may-match-texts.ts";
import { subjects, type Subject } from "./subjects.ts";

const possibleSubjects = mayMatch(
  subjects.map(({ pattern }) => pattern),
  textsOfSubjects,
);

/** In the order of the table, each once. */
export function subjectsOf(text: string): readonly Subject[] {
  return possibleSubjects(text).flatMap((index) => {
    const row = subjects[index];
    return row?.pattern.test(text) === true ? [row.subject] : [];
  });
}
