import { causesOfReason, reasonOfCause } from "../../diagnosis/causes.ts";
import { judgementWords } from "../../diagnosis/judgement.ts";
import { describeReason, openReasons, reasons } from "../../reasons/reasons.ts";
import { closestWord } from "../../text/closest-word.ts";
import {
  joinShown,
  ours,
  show,
  showCatalogueText,
  showLine,
  shownJson,
  type ShownText,
} from "../../text/shown-text.ts";

/** `capz-bootstrap reason NAME`: meaning, next step and references, from the same table as the statuses. */
export function explainReason(
  name: string,
  options: { readonly json: boolean },
): { readonly text: ShownText; readonly exitCode: number } {
  const reason = toReason(name);
  const row = describeReason(reason);
  if (row === undefined) return { text: unknown(name), exitCode: 64 };
  const { blame } = row;
  // Of those that say only that nothing better is known, no machine's chance follows from the name alone.
  const again = openReasons.has(reason) ? {} : { retryable: row.retryable };
  const words = {
    reason: showCatalogueText(reason),
    causes: causesOfReason(reason).map(showCatalogueText),
    meaning: showCatalogueText(row.meaning),
    nextStep: showCatalogueText(row.nextStep),
    references: row.references.map(showCatalogueText),
  };
  if (options.json) return { text: shownJson({ ...words, ...again, blame }, 2), exitCode: 0 };
  const lines = [
    ours`${words.reason}: ${words.meaning}.`,
    ours`Next step: ${words.nextStep}.`,
    ours`[${joinShown(judgementWords({ blame, ...again }), "; ")}]`,
    ...words.causes.map((cause) => ours`Cause label: ${cause}`),
    ...words.references.map((reference) => ours`See: ${reference}`),
  ];
  return { text: joinShown(lines, "\n"), exitCode: 0 };
}

/** Any case; a cause label stands for its reason. */
function toReason(name: string): string {
  const wanted = name.toLowerCase();
  const label = Object.entries(reasonOfCause).find(([cause]) => cause === wanted);
  return label?.[1] ?? Object.keys(reasons).find((one) => one.toLowerCase() === wanted) ?? name;
}

const mostOffered = 3;

/** Who writes the beginning of a name, or a word of it. */
function namesWith(word: string): readonly string[] {
  const letters = word.toLowerCase().replaceAll(/[^a-z]/gu, "");
  if (letters.length < 3) return [];
  const found = Object.keys(reasons).filter((reason) => reason.toLowerCase().includes(letters));
  return found.slice(0, mostOffered);
}

function unknown(name: string): ShownText {
  const closest = closestWord(name, Object.keys(reasons));
  const offered = closest === undefined ? namesWith(name) : [closest];
  const hint =
    offered.length === 0
      ? ours`a status names its reason in brackets, as in "Bootstrap failed (DnsResolutionFailed)"; docs/codes.md lists all`
      : ours`did you mean ${show(offered.join(" or "))}?`;
  return ours`capz-bootstrap reason: "${showLine(name)}" is not a reason of this version; ${hint}`;
}
