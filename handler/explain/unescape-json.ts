const plain: Readonly<Record<string, string>> = { n: "\n", r: "", t: "\t", '"': '"', "\\": "\\", "/": "/" };

/** An Azure SDK error quotes the answer as JSON, and `kubectl -o json` quotes that again: at most two layers of escapes. */
export function unescapeJson(text: string): string {
  return unescapeOnce(unescapeOnce(text));
}

/** Only a text without line ends can be quoted; and if one escape is not JSON's (`C:\run`), none of them is. */
function unescapeOnce(text: string): string {
  if (!text.includes("\\") || text.includes("\n")) return text;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character !== "\\") {
      parts.push(character);
      continue;
    }
    const escape = readEscape(text.slice(at + 1, at + 6));
    if (escape === undefined) return text;
    parts.push(escape.text);
    at += escape.length;
  }
  return parts.join("");
}

function readEscape(after: string): { readonly text: string; readonly length: number } | undefined {
  const hex = after.startsWith("u") ? after.slice(1) : "";
  if (/^[0-9a-f]{4}$/i.test(hex)) return { text: String.fromCharCode(Number.parseInt(hex, 16)), length: 5 };
  const text = plain[after[0] ?? ""];
  return text === undefined ? undefined : { text, length: 1 };
}

/** Where a quotation mark closes the JSON string that the text lies in; -1 when none does. */
export function endOfJsonString(text: string): number {
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    const next = text.slice(at + 1, at + 200).trimStart()[0];
    if (text[at - 1] !== "\\" && next !== undefined && ",}]".includes(next)) return at;
  }
  return -1;
}

/** Layers of quotation that ARM, an SDK and a script's own JSON can lay around one log. */
const mostLayers = 4;

/**
 * Line ends that were written as escapes, made line ends again, so that a quoted log has lines. For matching only: a Windows path whose
 * part begins with n or r is torn.
 */
export function unfoldEscapes(text: string): string {
  let unfolded = text;
  for (let layer = 0; layer < mostLayers && /\\+[nr"]/u.test(unfolded); layer++)
    unfolded = unfolded
      .replaceAll(/(?<!\\)\\r?\\n|(?<!\\)\\n/gu, "\n")
      .replaceAll(/(?<!\\)\\([rt])/gu, " ")
      .replaceAll('\\"', '"')
      .replaceAll("\\\\", "\\");
  return unfolded;
}
