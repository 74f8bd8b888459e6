import type { LookRecord } from "../../../scripts/check/look.ts";
import { tailOf } from "../../text/cut-text.ts";
import { mentionsSecret } from "../../text/redact-fields.ts";
import { cutShown, ours, show, shownJson, type Shown, type ShownText } from "../../text/shown-text.ts";

/** UTF-16 units of one text and of all texts: the newest part of a long log says most. */
const longestText = 512 * 1024;
const longestRecord = 2 * 1024 * 1024;
/** Of a longer text, so much is read before what is shown: a secret that is named there, or begins there, is hidden in what follows, too. */
const readBefore = 256 * 1024;
const mostOfNames = 512 * 1024;

/**
 * observations.json: what the deciding look asked and was told, so that its verdict can be had again anywhere (`capz-bootstrap
 * check --replay`). Shown text by text, each cut at its newest end.
 */
export function renderObservations(record: LookRecord): ShownText {
  return ours`${shownJson<LookRecord>(shownRecord(record), 2)}\n`;
}

/** The record with texts that may be shown; names of fields stay. */
export function shownRecord(record: LookRecord): Shown<LookRecord> {
  let left = longestRecord;
  return mapTexts(record, (text) => {
    const limit = Math.min(longestText, left);
    const shown = limit > 0 ? show(newestOf(text)) : ours``;
    const cut = shown.length <= limit ? shown : cutShown.from(shown, shown.length - limit);
    left -= cut.length;
    return cut;
  });
}

/** From the end of a word on. Not from the next line: cloudbase-init writes all that the user data prints on one. */
function newestOf(text: string): string {
  if (text.length <= longestText + readBefore) return text;
  const end = tailOf(text, longestText + readBefore);
  const blank = end.search(/\s/u);
  if (blank === -1) return "";
  const newest = end.slice(blank);
  return namesIn(text.slice(0, text.length - newest.length)) + newest;
}

/** What is named at the begin of a long log may stand bare at its end: the lines that may name a secret, each with the one behind it. */
function namesIn(older: string): string {
  const lines = older.split(/\n|\\n/u);
  let isBehind = false;
  const names = lines.filter((line) => {
    const [isNamed, wasNamed] = [mentionsSecret.test(line), isBehind];
    isBehind = isNamed;
    return isNamed || wasNamed;
  });
  return names.length === 0 ? "" : `${tailOf(names.join("\n"), mostOfNames)}\n`;
}

function mapTexts<Value>(value: Value, change: (text: string) => ShownText): Shown<Value>;
function mapTexts(value: unknown, change: (text: string) => ShownText): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [show(key), mapTexts(item, change)]),
  );
}
