/* eslint-disable redos-detector/no-unsafe-regex -- The checker rates any search that is not anchored as unsafe; test/handler/logging/redact.test.ts measures that time grows with length alone. */
import { marker, redactFields } from "./redact-fields.ts";
import { secretPatterns } from "./redact-patterns.ts";

/** Hides secrets line by line; keeps between lines only whether a private key, a password list or a block is open. */
export interface Redactor {
  /** `text` is one line without its line break. */
  line(text: string): string;
}

/** Hides every secret in a text and names its kind (`<redacted:join-token>`); idempotent and linear in the length. */
export function redact(text: string): string {
  const redactor = createRedactor();
  return text
    .split("\n")
    .map((line) => (line.endsWith("\r") ? `${redactor.line(line.slice(0, -1))}\r` : redactor.line(line)))
    .join("\n");
}

export function createRedactor(): Redactor {
  let open: OpenBlock = { kind: "none" };
  return {
    line(text) {
      const step = redactLine(text, open);
      open = step.open;
      return step.text;
    },
  };
}

type OpenBlock =
  | { readonly kind: "none" }
  /** Between BEGIN and END; given up after more lines than any key has, so a cut-off key does not hide a whole log. */
  | { readonly kind: "private-key"; readonly linesLeft: number }
  | { readonly kind: "password-list"; readonly indent: number }
  /** A YAML block scalar (`password: |`). */
  | { readonly kind: "block"; readonly indent: number; readonly of: string };

interface Step {
  readonly text: string;
  readonly open: OpenBlock;
}

const longestKeyLines = 260;
const none: OpenBlock = { kind: "none" };
const beginKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const endKey = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

function redactLine(text: string, open: OpenBlock): Step {
  switch (open.kind) {
    case "private-key":
      return insideKey(text, open.linesLeft);
    case "password-list":
      if (indentOf(text) > open.indent || text.trim() === "") return { text: redactAccount(text), open };
      return outside(text);
    case "block":
      if (text.trim() === "") return { text, open };
      if (indentOf(text) > open.indent) return { text: text.replace(/\S.*/, marker(open.of)), open };
      return outside(text);
    case "none":
      return outside(text);
  }
}

function insideKey(text: string, linesLeft: number): Step {
  const end = endKey.exec(text);
  if (end !== null) {
    const rest = outside(text.slice(end.index + end[0].length));
    return { text: marker("private-key") + rest.text, open: rest.open };
  }
  return {
    text: marker("private-key"),
    open: linesLeft > 1 ? { kind: "private-key", linesLeft: linesLeft - 1 } : none,
  };
}

function outside(text: string): Step {
  const begin = beginKey.exec(text);
  if (begin !== null) {
    const before = redactPlain(text.slice(0, begin.index));
    const inside = insideKey(text.slice(begin.index + begin[0].length), longestKeyLines);
    return { text: before + inside.text, open: inside.open };
  }
  return { text: redactPlain(text), open: opens(text) };
}

function opens(text: string): OpenBlock {
  if (/^\s*chpasswd:\s*$/.test(text)) return { kind: "password-list", indent: indentOf(text) };
  const block = /^\s*(?:- )?["']?([\w.-]{2,96})["']?:\s{1,8}(?:!!binary\s{1,8})?[|>][+-]?\d?\s*$/.exec(text);
  const name = block?.[1];
  if (name === undefined) return none;
  const kind = redactFields(`${name}: 0secret0`) === `${name}: 0secret0` ? undefined : name;
  return kind === undefined ? none : { kind: "block", indent: indentOf(text), of: "secret" };
}

/** `root:password` in the list below `chpasswd:`; its other keys have a blank after the colon. */
function redactAccount(text: string): string {
  return redactPlain(text.replace(/^(\s*(?:- )?["']?[\w.-]{1,64}:)[^\s<].*$/, `$1${marker("password")}`));
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function redactPlain(text: string): string {
  const shaped = secretPatterns.reduce(
    (line, { kind, pattern }) =>
      line.replace(
        pattern,
        (_whole: string, kept: unknown) => `${typeof kept === "string" ? kept : ""}${marker(kind)}`,
      ),
    text,
  );
  return redactFields(shaped);
}
