import { pythonLiteral } from "../../support/python-literal.ts";
import { unescapeText } from "../../../handler/text/unescape-text.ts";
import type { PlantedSecret } from "./generate-secrets.ts";

/** How a text with a secret in it comes to stand in a log: what other programs, terminals and formats make of it. */
export interface Disguise {
  readonly name: string;
  /** Lines get something in front of them, by which a block of several lines (a list, a key without its begin) is no block any more. */
  readonly breaksBlocks?: true;
  wear(planted: PlantedSecret): string;
}

/** The text with the secret itself changed, where it stands as it is. */
function within(change: (secret: string) => string): Disguise["wear"] {
  return ({ text, secret }) => text.split(secret).join(change(secret));
}

function between(parts: string, mark: string): string {
  const middle = Math.floor(parts.length / 2);
  return parts.slice(0, middle) + mark + parts.slice(middle);
}

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const xml = (text: string): string =>
  text.replace(/[&<>"'\n\r]/g, (character) => `&#${String(character.codePointAt(0))};`);

/** The lines of the text within a literal of Python's bytes, as between the quotes. */
const asPython = (text: string): string => pythonLiteral(text).slice(2, -1);

const record = (literal: string): string => `2026-11-21 03:14:07.123 1032 DEBUG cloudbaseinit [-] stdout: ${literal}`;

/** UTF-16, every byte of which repr() writes alone: what a program that prints UTF-16 comes to. */
function asWidePython(text: string): string {
  const bytes = [...Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), "utf16le")];
  const written = bytes.map((byte) => (byte === 0 ? "\\x00" : pythonLiteral(String.fromCharCode(byte)).slice(2, -1)));
  return `b'${written.join("")}'`;
}

/** What cloudbase-init makes of all that the user data prints: a line of any length, with every line end written. */
export const literalDisguises: readonly Disguise[] = [
  { name: "Python bytes", wear: ({ text }) => record(`b'first\\r\\n${asPython(text)}\\r\\n'`) },
  { name: "Python bytes in double quotes", wear: ({ text }) => record(pythonLiteral(`first\n${text}\nlast`, '"')) },
  { name: "Python bytes, no line around", wear: ({ text }) => record(pythonLiteral(text)) },
  { name: "Python bytes in a tuple", wear: ({ text }) => `(b'ok\\r\\n', ${pythonLiteral(text)})` },
  {
    name: "Python bytes in Python bytes",
    wear: ({ text }) => record(pythonLiteral(`out: ${pythonLiteral(`a\n${text}`)}\n`)),
  },
  { name: "Python bytes of UTF-16", wear: ({ text }) => `stdout: ${asWidePython(`first\n${text}\nlast`)}` },
  { name: "Python bytes, cut at both ends", wear: ({ text }) => `st line\\r\\n${asPython(text)}\\r\\nlast l` },
  {
    name: "Python bytes that never end",
    wear: ({ text }) => record(pythonLiteral(`first\n${text}\nlast`).slice(0, -1)),
  },
  {
    name: "coloured Python bytes",
    wear: ({ text, secret }) => `out: b'x\\n${asPython(text.split(secret).join(`\u001b[36m${secret}\u001b[0m`))}\\n'`,
  },
];

export const disguises: readonly Disguise[] = [
  { name: "as it is", wear: ({ text }) => text },
  { name: "colour around", wear: within((secret) => `\u001b[36m${secret}\u001b[0m`) },
  { name: "colour within", wear: within((secret) => between(secret, "\u001b[1;31m")) },
  { name: "colour behind a letter", wear: ({ text }) => `x\u001b[32m${text}` },
  { name: "eight-bit colour within", wear: within((secret) => between(secret, "\u009b31m")) },
  { name: "colour as cat -v writes it", wear: within((secret) => `^[[36m${secret}^[[0m`) },
  { name: "colour as rsyslog writes it", wear: within((secret) => `#033[36m${secret}#033[0m`) },
  {
    name: "title and clipboard",
    wear: within((secret) => `\u001b]0;t\u0007${between(secret, "\u001b]52;c;eA==\u001b\\")}`),
  },
  {
    name: "bold by overstrike",
    wear: within((secret) =>
      Array.from(secret, (letter) => (letter === "\n" ? letter : `${letter}\b${letter}`)).join(""),
    ),
  },
  { name: "zero width within", wear: within((secret) => between(secret, "\u200b\u2060")) },
  { name: "soft hyphen within", wear: within((secret) => between(secret, "\u00ad")) },
  { name: "right to left within", wear: within((secret) => between(secret, "\u202e\u2066")) },
  { name: "NUL within", wear: within((secret) => Array.from(secret).join("\u0000")) },
  {
    name: "JSON",
    wear: ({ text }) => `{"time":"2026-11-21T03:14:07Z","log":"first\\n${asJson(text)}\\n","stream":"stderr"}`,
  },
  { name: "JSON in JSON", wear: ({ text }) => `{"log":"${asJson(`{"msg":"first\\n${asJson(text)}\\n"}`)}"}` },
  {
    name: "klog",
    wear: ({ text }) =>
      `E1121 03:14:07.000000    1032 run.go:74] "command failed" err="exit: ${asJson(text)}\\n\\tmore"`,
  },
  ...literalDisguises,
  {
    name: "colour in JSON",
    wear: ({ text, secret }) => `{"log":"${asJson(text.split(secret).join(`\u001b[36m${secret}\u001b[0m`))}"}`,
  },
  {
    name: "rsyslog line",
    wear: ({ text }) => `first#012${text.replaceAll("\r", "#015").replaceAll("\n", "#012")}#012`,
  },
  {
    name: "PowerShell string",
    wear: ({ text }) => `Write-Error "first\`r\`n${text.replaceAll("\r", "`r").replaceAll("\n", "`n")}\`n"`,
  },
  { name: "XML text", wear: ({ text }) => `<message>first&#10;${xml(text)}</message>` },
  {
    name: "URL query",
    wear: ({ text }) => `GET https://logs.example/add?line=${encodeURIComponent(`first\n${text}`)} 200`,
  },
  {
    name: "table cell",
    breaksBlocks: true,
    wear: ({ text }) =>
      text
        .split("\n")
        .map((line) => `| 7 | ${line} |`)
        .join("\n"),
  },
  {
    name: "quoted lines",
    breaksBlocks: true,
    wear: ({ text }) =>
      text
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n"),
  },
  { name: "tabs and line ends of Windows", wear: ({ text }) => `\t${text.replaceAll(/\r?\n/g, "\r\n")}\r\n` },
  { name: "behind another line", wear: ({ text }) => `error: something failed\n${text}` },
];

/** What must not be seen: the secret, its halves where they are long enough to be told from words, the lines of a long one. */
function piecesOf(secret: string): readonly string[] {
  const middle = Math.floor(secret.length / 2);
  const halves = secret.length >= 16 ? [secret.slice(0, middle), secret.slice(middle)] : [];
  const lines = secret.includes("\n") ? secret.split("\n") : [];
  return [secret, ...halves, ...lines];
}

export function mayWear(disguise: Disguise, { kind, text }: PlantedSecret): boolean {
  const isBlock = text.trim().includes("\n") && ["private key", "cloud-config password", "user data"].includes(kind);
  return disguise.breaksBlocks === undefined || !isBlock;
}

/** Is the secret, or a half of it, in the shown text, or in what a reader's own tools would make of it? */
export function isSeen(secret: string, shown: string): boolean {
  return seenIn(shown)(secret);
}

/** The same for many secrets in one text. */
export function seenIn(shown: string): (secret: string) => boolean {
  const holds = [...new Set([shown, unescapeText(shown)])].map(holder);
  return (secret) => piecesOf(secret).some((piece) => holds.some((holdsPiece) => holdsPiece(piece)));
}

const gram = 6;

/** Whether the text holds a piece; of a long text only where it holds the piece's beginning, which an index tells. */
function holder(text: string): (piece: string) => boolean {
  if (text.length < 10_000) return (piece) => text.includes(piece);
  const grams = new Set<string>();
  for (let at = 0; at + gram <= text.length; at++) grams.add(text.slice(at, at + gram));
  return (piece) => (piece.length < gram || grams.has(piece.slice(0, gram))) && text.includes(piece);
}
