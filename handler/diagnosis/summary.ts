import { cutMiddle } from "../text/cut-text.ts";
import { joinShown, show, showCatalogueText, type ShownText } from "../text/shown-text.ts";
import type { LineEvent } from "./line-event.ts";

const longestValue = 120;

const place = /\{(?<name>\w{1,40})(?:\|(?<fallback>[^{}]{0,80}))?\}/gu;

/** Fills `{name}` and `{name|fallback}` from the first event that has the group. */
export function fillSummary(template: string, events: readonly LineEvent[]): ShownText {
  const parts: ShownText[] = [];
  let end = 0;
  for (const { 0: whole, index, groups } of template.matchAll(place)) {
    parts.push(showCatalogueText(template.slice(end, index)), fill(groups ?? {}, events));
    end = index + whole.length;
  }
  return joinShown([...parts, showCatalogueText(template.slice(end))], "");
}

function fill(
  { name = "", fallback }: { readonly name?: string; readonly fallback?: string },
  events: readonly LineEvent[],
): ShownText {
  const value = events.find((event) => (event.groups[name] ?? "").length > 0)?.groups[name];
  return value === undefined ? showCatalogueText(fallback ?? "(not named)") : show(clean(value));
}

/** A value as it stood in a quoted or escaped line, as a person would write it in a sentence. */
function clean(value: string): string {
  const plain = withoutLooseEnds(
    value
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      // An escaped quote; the backslashes of a path stay.
      .replaceAll(/\\{1,8}(?=["'`]|$)/gu, "")
      // "ExitCode": "51" of JSON, begun in the middle.
      .replaceAll(/": ?"?/gu, ": "),
  );
  // What names it stands at its beginning, why at its end.
  return cutMiddle(plain, longestValue);
}

const openers = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** Without the marks that the cut of an expression leaves: a lone quote, a colon, a bracket that nothing closes. */
function withoutLooseEnds(value: string): string {
  let text = value.trim();
  for (;;) {
    const last = text.at(-1) ?? "";
    if (!isLoose(last, text)) return text;
    text = text.slice(0, -1).trimEnd();
  }
}

function isLoose(last: string, text: string): boolean {
  if (",;:.([{".includes(last)) return last !== "";
  if ("\"'`".includes(last)) return last !== "" && count(text, last) % 2 === 1;
  const opener = openers.get(last);
  return opener !== undefined && count(text, opener) < count(text, last);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
