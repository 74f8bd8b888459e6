import type { JoinedLine, LineRange } from "./unwrap.ts";

const mostPieces = 6;

/** A record's text that was opened and not closed: err="…, msg="… */
const openedText = /\b(?:err|error|msg)="/iu;
/** What begins a record of its own, whatever the quote before it says. */
const beginnings = [
  /\d\d:\d\d:\d\d/u,
  /^(?:time=|level=|[IWEF]\d{4} |\{"|[A-Z][a-z]{2} {1,2}\d|\$ |# )/u,
  /^[\w@.-]{2,60}\[\d{1,8}\]: /u,
];

function beginsRecord(line: string): boolean {
  const text = line.trimStart();
  return text === "" || beginnings.some((pattern) => pattern.test(text));
}

/** A step that failed, and its reason on a line of its own below it. */
const announces = /\b(?:error|failed|unable|cannot|could not|couldn't)\b.{0,300}:\s*$/iu;
const announcesList = /occurred:?\s*$|caused by:\s*$|following .{0,60}:\s*$/iu;
const listed = /^\s+(?!["'\\])[^\w\s]/u;

/** One statement that whoever pasted it broke at its sense and not at a column: within its quote, or behind its colon. */
export function openStatement(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  return (
    openTask(lines, line, at) ?? listedTask(lines, line, at) ?? openQuote(lines, line, at) ?? openColon(lines, line, at)
  );
}

const mostOfTask = 40;

/** What Ansible tells of a task where it is set to print it for people, or somebody broke it: its brace is closed further on. */
function openTask(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!/^(?:fatal|failed): \[.{1,200}=> \{/u.test(line) || line.trimEnd().endsWith("}")) return undefined;
  const pieces = lines.slice(at + 1, at + 1 + mostOfTask);
  const end = pieces.findIndex((piece) => piece.trim() === "}" || /["\]]\}$/u.test(piece.trimEnd()));
  if (end === -1) return undefined;
  const text = [line, ...pieces.slice(0, end + 1)].map((piece) => piece.trim()).join(" ");
  return { from: at + 1, to: at + 2 + end, text, certain: false };
}

/** The same where it is set to print it as YAML: what was said below "fatal: […]: FAILED! =>", as the field's JSON would have it. */
function listedTask(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const head = /^(?<head>(?:fatal|failed): \[[^\]]{1,80}\].{0,200}? =>)(?: changed=\w{4,5})?\s*$/u.exec(line)?.groups?.[
    "head"
  ];
  const indent = indentOf(lines[at + 1] ?? "");
  if (head === undefined || indent === 0) return undefined;
  const pieces = lines.slice(at + 1, at + 1 + mostOfTask);
  const end = pieces.findIndex((piece) => piece.trim() !== "" && indentOf(piece) < indent);
  const block = end === -1 ? pieces : pieces.slice(0, end);
  const fields = fieldsOf(block, indent);
  if (fields["msg"] === undefined) return undefined;
  return { from: at + 1, to: at + 1 + block.length, text: `${head} ${JSON.stringify(fields)}`, certain: false };
}

const taskField = /^(?<name>[a-z_]{2,20}):(?: (?<value>.*))?$/u;

/** A field's value stands behind its name, or deeper below it. */
function fieldsOf(block: readonly string[], indent: number): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  let name = "";
  for (const piece of block) {
    const field = indentOf(piece) === indent ? taskField.exec(piece.trim())?.groups : undefined;
    if (field === undefined) {
      fields[name] = `${fields[name] ?? ""} ${piece.trim()}`.trim();
      continue;
    }
    name = field["name"] ?? "";
    fields[name] = (field["value"] ?? "")
      .replace(/^[|>][-+]?$/u, "")
      .replace(/^(?<sign>["'])(?<text>.*)\k<sign>$/u, "$<text>");
  }
  return fields;
}

/** The mark of a warning alone: what was found stands in the next line, and only the mark says that it is no error. */
const warningAlone = /^\s*\[WARNING [\w-]{3,120}\]:\s*$/u;

/** What a check only warns of, in the line behind its mark. */
export function rangesOfBrokenWarnings(text: string): readonly LineRange[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const isBroken = warningAlone.test(line) && !beginsRecord(lines[at + 1] ?? "");
    return isBroken ? [{ from: at + 1, to: at + 2 }] : [];
  });
}

function openQuote(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!openedText.test(line) || isClosed(line)) return undefined;
  let text = line.trim();
  for (const [index, piece] of lines.slice(at + 1, at + 1 + mostPieces).entries()) {
    if (beginsRecord(piece)) return undefined;
    text = `${text} ${piece.trim()}`;
    if (isClosed(text)) return { from: at + 1, to: at + 2 + index, text, certain: true };
  }
  return undefined;
}

function isClosed(text: string): boolean {
  return (text.replaceAll(/\\./gu, "").match(/"/gu)?.length ?? 0) % 2 === 0;
}

function openColon(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  const isPiece = (lines[at - 1] ?? "").trimEnd().endsWith(":");
  let text = line.trim();
  let pieces = 0;
  while (pieces < mostPieces && announces.test(text) && !announcesList.test(text)) {
    const next = lines[at + 1 + pieces] ?? "";
    if (!goesOn(line, next, isPiece) || beginsRecord(next) || listed.test(next)) break;
    text = `${text} ${next.trim()}`;
    pieces += 1;
  }
  return pieces === 0 ? undefined : { from: at + 1, to: at + 1 + pieces, text, certain: false };
}

/** Below its beginning, or as far as it where it begins within a sentence: Go's programs begin what they wrap in small letters. */
function goesOn(line: string, next: string, isPiece: boolean): boolean {
  const deeper = indentOf(next) - indentOf(line);
  return (
    deeper > 0 ||
    (deeper === 0 && !isPiece && /^\s*(?:[a-z][a-z']{1,20} [a-z]|x509: |\w{2,40}\.go:\d{1,5}: )/u.test(next))
  );
}

function indentOf(line: string): number {
  return line.search(/\S|$/u);
}
