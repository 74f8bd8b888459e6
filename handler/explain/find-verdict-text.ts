import { endOfJsonString, unescapeJson } from "./unescape-json.ts";

/** How our first line can begin (verdict/verdict-head.ts, verdict/waiting-status.ts). */
const beginnings = [
  "Bootstrap failed (",
  "Bootstrap not checked (",
  "Bootstrapped in ",
  "Bootstrap reported, not judged: ",
  "Waiting for bootstrap: ",
];

/** Cuts our message out of whatever Azure, an Azure SDK or CAPZ has wrapped around it; undefined when it is not there. */
export function findVerdictText(text: string): string | undefined {
  const starts = beginnings.map((beginning) => text.indexOf(beginning)).filter((index) => index !== -1);
  if (starts.length === 0) return undefined;
  const start = Math.min(...starts);
  const tail = text.slice(start);
  const end = endOfDeepQuote(tail, text.slice(Math.max(0, start - deepest), start)) ?? endOfMessage(tail);
  return unescapeJson(tail.slice(0, end)).trimEnd();
}

/** Backslashes before a quotation mark, and the mark: seven of them stand before one in JSON in JSON in JSON. */
const deepest = 32;

/** Our message in quotation marks that were escaped: it ends where the same mark stands again and the text around it closes. */
function endOfDeepQuote(tail: string, before: string): number | undefined {
  const mark = /\\+"$/u.exec(before)?.[0];
  if (mark === undefined) return undefined;
  for (let at = tail.indexOf(mark); at !== -1; at = tail.indexOf(mark, at + 1)) {
    if (/^\.?\s*(?:\\*["'}\],]|\\+[rn]|More information|$)/u.test(tail.slice(at + mark.length, at + mark.length + 40)))
      return at;
  }
  return undefined;
}

/**
 * ARM's closing sentence stands behind our message in quotation marks; an SDK error quotes it inside of a JSON string, and draws a
 * dashed line after the answer.
 */
function endOfMessage(tail: string): number {
  const closing = tail.indexOf(" More information on troubleshooting");
  if (closing !== -1) return withoutQuote(tail.slice(0, closing));
  const ends = [lastQuote(tail), tail.indexOf("\n--------------------"), endOfJsonString(tail)].filter(
    (index) => index !== -1,
  );
  return Math.min(tail.length, ...ends);
}

/** An event may end with the quotation mark that ARM put behind our message; no message of ours ends in one. */
function lastQuote(tail: string): number {
  const trimmed = tail.trimEnd();
  return /[.…]\\?['"]$/u.test(trimmed) ? withoutQuote(trimmed) : -1;
}

/** ARM writes `'our message'.`, or with escaped quotation marks; our own full stop is inside of them. */
function withoutQuote(text: string): number {
  let end = text.length;
  if (text[end - 1] === ".") end -= 1;
  while (`'"\\`.includes(text[end - 1] ?? "-")) end -= 1;
  return end;
}
