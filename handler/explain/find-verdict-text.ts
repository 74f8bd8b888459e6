import { endOfJsonString, unescapeJson } from "./unescape-json.ts";

/** How our first line can begin (verdict/verdict-head.ts, verdict/waiting-status.ts, diagnosis/render.ts). */
const beginnings = [
  "Bootstrap failed (",
  "Bootstrap not checked (",
  "Bootstrapped in ",
  "Bootstrapped: the logs end in success",
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
  const mark = before.slice(endOfPlain(before));
  if (!mark.startsWith("\\")) return undefined;
  for (let at = tail.indexOf(mark); at !== -1; at = tail.indexOf(mark, at + 1)) {
    if (closes(tail.slice(at + mark.length, at + mark.length + 40))) return at;
  }
  return undefined;
}

/** Where the quotation mark and its backslashes begin, if the text ends with them. */
function endOfPlain(text: string): number {
  if (!text.endsWith('"')) return text.length;
  let at = text.length - 1;
  while (text[at - 1] === "\\") at -= 1;
  return at;
}

/** ARM's full stop may stand behind the mark; then comes another mark, a bracket, a line's end, its closing sentence, or nothing. */
function closes(after: string): boolean {
  const rest = after.replace(/^\./u, "").trimStart();
  return rest === "" || `"'}],\\`.includes(rest[0] ?? "-") || rest.startsWith("More information");
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
